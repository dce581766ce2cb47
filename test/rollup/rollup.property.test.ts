import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/open-store.ts'
import { parseDay } from '../../src/time.ts'
import {
  dailyEntries,
  landAll,
  openStore,
  productSettings,
  reportContext,
  rollUpAll,
  summaryEntries,
} from '../helpers/run-history.ts'
import { type History, historyArbitrary } from '../reference/arbitraries.ts'
import { datesBetween } from '../reference/calendar-date.ts'
import { checkEvent } from '../reference/check-event.ts'
import { dayFigures, rangeFigures } from '../reference/figures.ts'
import type { KeptEvent } from '../reference/kept-event.ts'

const DAY_MS = 86_400_000

/** What the plain reference makes of a history: all its days, and a summary over them. */
function expectedOf({ events, settings, asOfMs }: History) {
  const kept = events.flatMap((event) => {
    const checked = checkEvent(event, asOfMs)
    return 'event' in checked ? [checked.event] : []
  })
  const ids = [...new Set(kept.map(({ deviceId }) => deviceId))].sort((one, other) => (one < other ? -1 : 1))
  const days = daysOf(kept)
  return {
    days,
    daily: days.map((day) => ids.map((id) => dayFigures(kept, id, day, settings, asOfMs))),
    summary: ids.map((id) => rangeFigures(kept, id, days[0], days[days.length - 1], settings, asOfMs)),
  }
}

/** All days with an event, one before and enough after for a silence to run out; at most 31. */
function daysOf(kept: readonly KeptEvent[]): number[] {
  if (kept.length === 0) return [20240510]
  const instants = kept.filter(({ type }) => type !== 'placement').map(({ at }) => at)
  const first = Math.min(...(instants.length > 0 ? instants : kept.map(({ at }) => at)))
  const dateOf = (instant: number): number => Number(new Date(instant).toISOString().slice(0, 10).replaceAll('-', ''))
  return datesBetween(dateOf(first - 2 * DAY_MS), dateOf(first + 28 * DAY_MS))
}

async function actualOf(store: Store, { settings, asOfMs }: History, days: readonly number[]) {
  const context = reportContext(store, productSettings(settings), asOfMs)
  const epochDay = (day: number): number => parseDay(day) as number
  const daily = []
  for (const day of days) daily.push(await dailyEntries(context, epochDay(day)))
  const range = { fromDay: epochDay(days[0]), toDay: epochDay(days[days.length - 1]) }
  return { days, daily, summary: await summaryEntries(context, range) }
}

async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
  const store = openStore({ location: join(folder, 'store.sqlite'), rejectsKept: 1000 })
  try {
    return await work(store)
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Cuts a list at the given places. */
function cut<Item>(items: readonly Item[], places: readonly number[]): Item[][] {
  const at = [...new Set(places.map((place) => place % (items.length + 1)))].sort((one, other) => one - other)
  return [...at, items.length].map((end, index) => items.slice(index === 0 ? 0 : at[index - 1], end))
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
