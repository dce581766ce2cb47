import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut } from '../../helpers/run-history.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'
import { historyArbitrary } from '../../reference/arbitraries.ts'
import { move, opened, reopen, type Step, take } from '../move-run.ts'
import { outcome } from '../outcome.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const earlierMs = fc.constantFrom(0, 0, HOUR_MS, DAY_MS, 3 * DAY_MS, 10 * DAY_MS, 30 * DAY_MS)
const device = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('land' as const), batch: fc.nat(), ofImport: fc.constantFrom(0, 0, 1, 2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('roll up' as const), earlierMs, refresh: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      place: fc.nat(),
      days: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), days: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      device,
      lat: fc.constantFrom(0, 5e8, 4e8),
      earlierMs: fc.nat(45 * DAY_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retire' as const), device, isRetired: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      device,
      earlierMs: fc.nat(45 * DAY_MS),
      lengthMs: fc.oneof(fc.nat(3 * DAY_MS), fc.constant(100 * DAY_MS)),
      isFix: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take back' as const), ofImport: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('subscribe' as const), earlierMs }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tell' as const), earlierMs, send: fc.boolean() }) },
)

const schedule = fc.record({
  history: historyArbitrary(),
  cuts: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  /** What happens before each run of the move. */
  before: fc.array(fc.array(step, { minLength: 2, maxLength: 8, size: 'max' }), { minLength: 1, maxLength: 3 }),
  after: fc.array(step, { minLength: 1, maxLength: 6 }),
})

test('a store is the same on the other engine and back, after changes between the runs of a move, and goes on alike', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async ({ history, cuts, before, after }) => {
      const folder = temporaryFolder()
      const [first, second, third] = [join(folder, 'first'), await temporaryDatabase(), join(folder, 'third')]
      const batches = cut(history.events, cuts)
      const source = await opened(first)
      for (const [nth, steps] of before.entries()) {
        for (const one of steps) await take(source, history, batches, one)
        await move(first, second, { now: history.asOfMs, finish: nth === before.length - 1 })
      }
      await move(second, third, { now: history.asOfMs })
      await move(second, third, { now: history.asOfMs, finish: true })
      await reopen(first)
      await reopen(second)
      const stores = [source, await opened(second), await opened(third)]
      const expectSame = async () => {
        const [one, ...others] = await Promise.all(stores.map((store) => outcome(store, history)))
        for (const other of others) expect(other).toEqual(one)
        return one
      }
      await expectSame()
      const goOn: Step[] = [...after, { do: 'roll up', earlierMs: 0, refresh: true }]
      for (const store of stores) for (const one of goOn) await take(store, history, batches, one)
      expect((await expectSame()).verified).toMatchObject({ differences: [], dueDevices: 0 })
      for (const store of stores) await store.close()
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 4), endOnFailure: true },
  )
})
