import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut, landAll, productSettings, rollUpAll, withStore } from '../helpers/run-history.ts'
import { type History, historyArbitrary } from '../reference/arbitraries.ts'
import { checkEvent } from '../reference/check-event.ts'
import { actualOf, expectedFrom } from './history-outcome.ts'

const DAY_MS = 86_400_000

/** What the plain reference makes of a history. */
function expectedOf(history: History) {
  const kept = history.events.flatMap((event) => {
    const checked = checkEvent(event, history.asOfMs)
    return 'event' in checked ? [checked.event] : []
  })
  return expectedFrom(kept, history)
}

test('the figures of one landing and one rollup are those of the plain reference', async () => {
  await fc.assert(
    fc.asyncProperty(historyArbitrary(), (history) =>
      withStore(async (store) => {
        const expected = expectedOf(history)
        await landAll(store, [history.events], history.asOfMs)
        await rollUpAll(store, productSettings(history.settings), history.asOfMs)
        expect(await actualOf(store, history, expected.days)).toEqual(expected)
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60), endOnFailure: true },
  )
})

test('order, batching, repeats, late events and rollups in between change no figure', async () => {
  const schedule = fc.record({
    history: historyArbitrary(),
    order: fc.infiniteStream(fc.nat()),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
    repeats: fc.array(fc.nat(), { maxLength: 3 }),
    /** Before each landing: whether what is due is rolled up, and how long before the last instant. */
    rollups: fc.array(fc.record({ run: fc.boolean(), earlierMs: fc.constantFrom(0, 0, 3_600_000, 3 * DAY_MS) }), {
      minLength: 10,
      maxLength: 10,
    }),
  })
  await fc.assert(
    fc.asyncProperty(schedule, ({ history, order, cuts, repeats, rollups }) =>
      withStore(async (store) => {
        const expected = expectedOf(history)
        const settings = productSettings(history.settings)
        const keys = history.events.map(() => order.next().value as number)
        const shuffled = history.events.map((_, index) => index).sort((one, other) => keys[one] - keys[other])
        const batches = cut(
          shuffled.map((index) => history.events[index]),
          cuts,
        )
        const again = repeats.map((place) => batches[place % batches.length])
        for (const [index, batch] of [...batches, ...again].entries()) {
          const { run, earlierMs } = rollups[index % rollups.length]
          if (run) await rollUpAll(store, settings, history.asOfMs - earlierMs, true)
          await landAll(store, [batch], history.asOfMs)
        }
        await rollUpAll(store, settings, history.asOfMs, true)
        expect(await actualOf(store, history, expected.days)).toEqual(expected)
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60), endOnFailure: true },
  )
})
