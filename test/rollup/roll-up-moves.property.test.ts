import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import type { Store } from '../../src/store/open-store.ts'
import { withStore } from '../helpers/run-history.ts'
import { HOUR_MS, land, NOW, rollUp, SETTINGS, storedDays, watchCommits } from './shard-fixture.ts'

const FIRST_DAY = Date.parse('2024-05-01T00:00:00Z')
const DAY_MS = 24 * HOUR_MS

// Up to 25 hours apart, on both sides of the date line.
const ZONES = ['', 'UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Pacific/Auckland', 'Etc/GMT+12', 'Asia/Kathmandu']

const FIELDS = [
  { type: 'visitor', count: 3 },
  { type: 'power', on: true },
  { type: 'door', open: true },
  { type: 'visitor', total: 5 },
  { type: 'gps', lat: 1, lon: 1 },
  { type: 'gps', lat: 2, lon: 1 },
]

const instantIn = (fromDay: number, toDay: number) =>
  fc.integer({ min: fromDay * 24, max: toDay * 24 }).map((hours) => FIRST_DAY + hours * HOUR_MS)

/** One event on the first day, and some about where a pass that begins there ends. */
const telemetry = fc
  .array(fc.tuple(instantIn(6, 11), fc.constantFrom(...FIELDS)), { minLength: 1, maxLength: 4, size: 'max' })
  .map((later) => [[FIRST_DAY, FIELDS[0]] as const, ...later].map(([at, fields]) => ({ deviceId: 'a', at, ...fields })))

/** One placement before all events, and up to two among them. */
const placements = fc
  .tuple(
    fc.constantFrom(...ZONES),
    fc.uniqueArray(fc.tuple(instantIn(1, 11), fc.constantFrom(...ZONES)), { maxLength: 2, selector: ([at]) => at }),
  )
  .map(([first, others]) => [[FIRST_DAY - DAY_MS, first] as const, ...others])
  .map((all) => all.map(([at, zone]): Placement => ({ at, zone, seq: NO_SEQ, lat: 1e7, lon: 1e7, address: null })))

const settings = { ...SETTINGS, silenceLimitMs: 30 * HOUR_MS, doorCount: 'changes' as const }

async function daysAfter(store: Store, list: readonly Placement[], events: readonly object[]) {
  await store.registry.put('a', { placements: list }, NOW)
  await land(store, ...events)
  watchCommits(store)
  await rollUp(store, {}, settings)
  return storedDays(store)
}

test('however a device was moved, its days are those of its placements alone', async () => {
  const moves = fc.array(placements, { minLength: 2, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(telemetry, moves, (events, lists) =>
      withStore(async (store) => {
        await daysAfter(store, lists[0], events)
        for (const list of lists.slice(1)) {
          const moved = await daysAfter(store, list, [])
          expect(moved).toEqual(await withStore((fresh) => daysAfter(fresh, list, events)))
        }
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 120) },
  )
})
