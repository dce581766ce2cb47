import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { Landing } from '../../src/ingest/landing.ts'
import type { RollupSettings } from '../../src/rollup/rollup-request.ts'
import { takenFrom } from '../../src/store/archive.ts'
import type { Store } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { cut, productSettings, rollUpAll, withStore } from '../helpers/run-history.ts'
import { type History, historyArbitrary } from '../reference/arbitraries.ts'
import { verified } from './verify-fixture.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const DEVICES = ['a', '__proto__', 'B', 'a1']
const ZONES = ['', 'Europe/Berlin', 'Pacific/Apia', 'Pacific/Kiritimati', 'Etc/GMT+12']

/** What happens before the landing of a batch; spans are before the history's last instant. */
const step = fc.record({
  /** A rollup of what is due, with or without all days that are open. */
  rollUp: fc.constantFrom(null, 'due', 'due', 'refresh' as const),
  earlierMs: fc.constantFrom(0, 0, MINUTE_MS, 3_600_000, 20 * 3_600_000, DAY_MS, 3 * DAY_MS, 30 * DAY_MS),
  compact: fc.boolean(),
  /** Raw events of so many UTC days that have any are deleted, as far as nothing that is due needs them. */
  prune: fc.constantFrom(0, 0, 0, 0, 1, 2),
  move: fc.option(
    fc.record({ device: fc.nat(3), zone: fc.nat(4), earlierMs: fc.integer({ min: 0, max: 45 * DAY_MS }) }),
    { freq: 4 },
  ),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const schedule = fc.record({
  history: historyArbitrary(),
  order: fc.infiniteStream(fc.nat()),
  cuts: fc.array(fc.nat(), { maxLength: 6 }),
  steps: fc.array(step, { minLength: 8, maxLength: 8 }),
  rollupAtMinute: fc.constantFrom(0, 20, 23 * 60 + 50),
})

async function compactAll(store: Store): Promise<void> {
  for (const { shard, utcDay } of await store.archive.daysToCompact(100_000))
    await compactDay(store.archive, shard, utcDay)
}

async function run(store: Store, settings: RollupSettings, { asOfMs }: History, one: Step): Promise<void> {
  const now = asOfMs - one.earlierMs
  if (one.move !== null) {
    const at = asOfMs - one.move.earlierMs
    const placement = { at, seq: NO_SEQ, lat: 1e7, lon: 1e7, zone: ZONES[one.move.zone], address: null }
    await store.registry.put(DEVICES[one.move.device], { placements: [placement] }, now)
  }
  if (one.rollUp !== null) await rollUpAll(store, settings, now, one.rollUp === 'refresh')
  if (one.compact) await compactAll(store)
  for (let count = 0; count < one.prune; count++) await store.archive.pruneDay(Math.floor(now / DAY_MS))
}

/** Events of days whose raw events have been deleted are rejected. */
async function land(store: Store, events: readonly unknown[], now: number): Promise<void> {
  const purgedBefore = await store.archive.purgedBefore()
  await new Landing(store.landing, { now: () => now, purgedBefore: () => takenFrom(purgedBefore) }).land({ events })
}

test('after any landings, moves, rollups and compactions nothing differs, whatever of it is still due', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(schedule, ({ history, order, cuts, steps, rollupAtMinute }) =>
      withStore(async (store) => {
        const settings = { ...productSettings(history.settings), rollupAtMinute }
        const keys = history.events.map(() => order.next().value as number)
        const shuffled = history.events.map((_, index) => index).sort((one, other) => keys[one] - keys[other])
        const batches = cut(
          shuffled.map((index) => history.events[index]),
          cuts,
        )
        for (const [index, one] of steps.entries()) {
          await run(store, settings, history, one)
          if (index < batches.length) await land(store, batches[index], history.asOfMs)
          const { differences, deviceDays } = await verified(store, settings, { now: history.asOfMs })
          expect(differences).toEqual([])
          compared += deviceDays
        }
        await rollUpAll(store, settings, history.asOfMs)
        const last = await verified(store, settings, { now: history.asOfMs })
        expect(last).toMatchObject({ differences: [], dueDevices: 0, dueDays: 0 })
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 25), endOnFailure: true },
  )
  expect(compared).toBeGreaterThan(0)
})
