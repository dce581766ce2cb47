import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/open-store.ts'
import { cut, landAll, productSettings, rollUpAll, withStore } from '../helpers/run-history.ts'
import { historyArbitrary } from '../reference/arbitraries.ts'
import { checkEvent } from '../reference/check-event.ts'

const HOUR_MS = 3_600_000

/** Everything that rollups have stored: the rows of all shards, byte by byte, and the states of devices. */
async function rolledUp({ rollups, registry }: Store) {
  const rows = []
  for (let shard = 0; shard < rollups.shards; shard++) {
    for (const { block, day } of await rollups.blocksOfShard(shard, -Infinity, Infinity))
      for (const row of await rollups.storedRows(shard, block, day, day))
        rows.push({ shard, ...row, body: row.body.toString('hex') })
  }
  const states = await rollups.states([...(await registry.devices()).map(({ number }) => number)])
  return { rows, states }
}

const schedule = fc.record({
  history: historyArbitrary(),
  /** How much later than it happened each event lands. */
  delays: fc.infiniteStream(fc.constantFrom(...new Array(12).fill(0), 1, HOUR_MS, 30 * HOUR_MS)),
  cuts: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  /** When each batch is rolled up, counted from its last event. */
  after: fc.array(fc.constantFrom(0, 1, 10 * 60_000, 3 * HOUR_MS, 30 * HOUR_MS, -HOUR_MS), {
    minLength: 7,
    maxLength: 7,
  }),
})

test('refreshes as the events come in store the same bytes as one rollup of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, ({ history, delays, cuts, after }) =>
      withStore(async (store) => {
        const settings = productSettings(history.settings)
        const arrivals = history.events.map((event) => {
          const checked = checkEvent(event, history.asOfMs)
          return { event, at: ('event' in checked ? checked.event.at : 0) + (delays.next().value as number) }
        })
        arrivals.sort((one, other) => one.at - other.at)
        const batches = cut(arrivals, cuts).filter(({ length }) => length > 0)
        let now = 0
        for (const [index, batch] of batches.entries()) {
          now = Math.max(now + 1, (batch.at(-1)?.at ?? 0) + after[index])
          await landAll(store, [batch.map(({ event }) => event)], history.asOfMs)
          await rollUpAll(store, settings, now, true)
          const once = await withStore(async (fresh) => {
            for (const landed of batches.slice(0, index + 1))
              await landAll(fresh, [landed.map(({ event }) => event)], history.asOfMs)
            await rollUpAll(fresh, settings, now, true)
            return rolledUp(fresh)
          })
          expect(await rolledUp(store)).toEqual(once)
        }
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 40), endOnFailure: true },
  )
})
