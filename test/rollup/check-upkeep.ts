import fc from 'fast-check'
import { expect } from 'vitest'
import { EVENT_TYPES } from '../../src/event/fields.ts'
import type { Store } from '../../src/store/open-store.ts'
import { cut } from '../helpers/run-history.ts'
import { historyArbitrary } from '../reference/arbitraries.ts'
import { type Step, UpkeepRun } from './upkeep-run.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ZONES = ['', 'UTC', 'Europe/Berlin', 'Pacific/Apia', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/St_Johns']

const earlierMs = fc.constantFrom(0, 0, 0, HOUR_MS, DAY_MS, 3 * DAY_MS, 10 * DAY_MS, 30 * DAY_MS, 35 * DAY_MS)
const placement = fc.record({
  zone: fc.constantFrom(...ZONES),
  lat: fc.constantFrom(0, 5e8),
  earlierMs: fc.nat(45 * DAY_MS),
})

/** What happens to the store; instants are so long before the last one of the history. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('land' as const),
      batch: fc.nat(),
      ofImport: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('roll up' as const), earlierMs, refresh: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      place: fc.nat(),
      days: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('prune' as const),
      first: fc.boolean(),
      days: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      device: fc.nat(3),
      list: fc.array(placement, { maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      device: fc.nat(3),
      earlierMs: fc.nat(45 * DAY_MS),
      lengthMs: fc.oneof(fc.nat(3 * DAY_MS), fc.constant(100 * DAY_MS)),
      type: fc.constantFrom(null, null, ...EVENT_TYPES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take back' as const), ofImport: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)

const schedule = fc.record({
  history: historyArbitrary(),
  order: fc.infiniteStream(fc.nat()),
  cuts: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  steps: fc.array(step, { minLength: 4, maxLength: 20, size: 'max' }),
  /** After everything has landed at least once. */
  last: fc.array(step, { maxLength: 6 }),
  rollupAtMinute: fc.constantFrom(0, 20, 12 * 60),
})
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never

/** The batches of a history, shuffled, each of which lands at least once. */
function batchesOf({ history, order, cuts }: Schedule): unknown[][] {
  const keys = history.events.map(() => order.next().value as number)
  const shuffled = history.events.map((_, index) => index).sort((one, other) => keys[one] - keys[other])
  const events = shuffled.map((index) => history.events[index])
  return cut(events, cuts)
}

const LEAST_RUNS = 25

/** What opens one empty store, any number of times, and removes it in the end. */
export interface EmptyStore {
  open(): Promise<Store>
  remove(): Promise<void> | void
}

/**
 * Checks that any landings, rollups, compactions, prunings, moves, erasures and restarts end in the figures of the plain
 * reference.
 */
export async function checkUpkeep(newStore: () => EmptyStore | Promise<EmptyStore>): Promise<void> {
  let [prunings, erasures] = [0, 0]
  await fc.assert(
    fc.asyncProperty(schedule, async (one) => {
      const { open, remove } = await newStore()
      const run = await UpkeepRun.begin(open, one.history, one.rollupAtMinute)
      try {
        const batches = batchesOf(one)
        for (const next of one.steps) await run.take(next, batches)
        for (const batch of batches) await run.land(batch)
        for (const next of one.last) await run.take(next, batches)
        await run.expectAll()
        prunings += run.prunings
        erasures += run.erasures
      } finally {
        await run.close()
        await remove()
      }
    }),
    // So many at least that some of them prune and erase.
    { numRuns: Math.max(LEAST_RUNS, Number(process.env.PROPERTY_RUNS ?? 0)), endOnFailure: true },
  )
  expect(prunings).toBeGreaterThan(0)
  expect(erasures).toBeGreaterThan(0)
}
