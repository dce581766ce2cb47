import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { withStore } from '../helpers/run-history.ts'
import { verified } from '../verify/verify-fixture.ts'
import { HOUR_MS, land, NOW, rollUp, SETTINGS, storedDays } from './shard-fixture.ts'

/** Raw events before it are deleted. */
const BOUND = Date.parse('2024-05-10T00:00:00Z')
const DAY_MS = 24 * HOUR_MS
/** From so long after it on, no day has other bounds for what was deleted. */
const SETTLED = BOUND + 4 * DAY_MS
const settings = { ...SETTINGS, silenceLimitMs: 2 * HOUR_MS, doorCount: 'changes' as const }

// Up to 26 hours apart, on both sides of the date line.
const ZONES = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/New_York', 'Etc/GMT+12', 'Asia/Kathmandu']

const FIELDS = [
  { type: 'door', open: true },
  { type: 'door', open: false },
  { type: 'power', on: true },
  { type: 'power', on: false },
  { type: 'visitor', total: 5 },
  { type: 'visitor', total: 9 },
]

/** Instants are given in hours from the bound. */
const eventAt = (hours: number, fields: object): object => ({ deviceId: 'a', at: BOUND + hours * HOUR_MS, ...fields })
const placement = (hours: number, zone: string): Placement => ({
  at: BOUND + hours * HOUR_MS,
  zone,
  seq: NO_SEQ,
  lat: 1e7,
  lon: 1e7,
  address: null,
})

const eventsIn = (min: number, max: number, maxLength: number) =>
  fc.array(
    fc.tuple(fc.integer({ min, max }), fc.constantFrom(...FIELDS)).map(([hours, fields]) => eventAt(hours, fields)),
    { minLength: 1, maxLength, size: 'max' },
  )
const events = fc
  .tuple(eventsIn(-40, -1, 3), eventsIn(0, 40, 2), eventsIn(5 * 24, 12 * 24, 4))
  .map((parts): object[] => parts.flat())

/** One placement before all events, and at most one about the bound. */
const placements = fc
  .tuple(
    fc.constantFrom(...ZONES),
    fc.option(fc.tuple(fc.integer({ min: -30, max: 40 }), fc.constantFrom(...ZONES)), { freq: 2 }),
  )
  .map(([zone, other]) => [placement(-20 * 24, zone), ...(other ? [placement(...other)] : [])])

/** All days together, or only those with events long after the bound. */
const askings = fc.constantFrom({ from: 0, to: 100_000 }, { from: SETTLED / DAY_MS, to: 100_000 })

/** Two moves over the date line leave an event in a gap first, then in a day that no other event makes due. */
const TWICE_OVER_THE_DATE_LINE: [object[], Placement[][], { from: number; to: number }] = [
  [eventAt(-6, FIELDS[3]), eventAt(31, FIELDS[4]), eventAt(265, FIELDS[1])],
  [
    [placement(-480, 'UTC'), placement(15, 'Asia/Kathmandu')],
    [placement(-480, 'Pacific/Kiritimati'), placement(-5, 'Pacific/Pago_Pago')],
    [placement(-480, 'Pacific/Pago_Pago'), placement(-24, 'UTC')],
  ],
  { from: 0, to: 100_000 },
]

const later = (days: Map<number, DeviceDay>) => [...days].filter(([, { startAt }]) => startAt >= SETTLED)

test('however a device is moved after a pruning, its days later on are those of a store without pruning', async () => {
  const begin = async (store: Store, list: readonly Placement[], all: readonly object[]): Promise<void> => {
    await adoptRules(store, settings, NOW)
    await store.registry.put('a', { placements: list }, NOW)
    await land(store, ...all)
    await rollUp(store, {}, settings)
  }
  await fc.assert(
    fc.asyncProperty(events, fc.array(placements, { minLength: 2, maxLength: 3 }), askings, (all, lists, days) =>
      withStore(async (store) => {
        await begin(store, lists[0], all)
        while ((await store.archive.pruneDay(BOUND / DAY_MS)) !== null);
        const bound = await store.archive.purgedBefore()
        const keptOf = async () => [...(await storedDays(store))].filter(([, { startAt }]) => startAt < bound)
        const kept = await keptOf()
        for (const list of lists.slice(1)) {
          await store.registry.put('a', { placements: list }, NOW)
          await rollUp(store, {}, settings)
          await rollUp(store, { days }, settings)
          const whole = await withStore(async (fresh) => {
            await begin(fresh, list, all)
            return storedDays(fresh)
          })
          expect(later(await storedDays(store))).toEqual(later(whole))
          expect(await keptOf()).toEqual(kept)
          for (const from of [null, SETTLED / DAY_MS]) {
            expect((await verified(store, settings, { now: NOW, from })).differences).toEqual([])
          }
        }
      }),
    ),
    {
      numRuns: Number(process.env.PROPERTY_RUNS ?? 40),
      endOnFailure: true,
      examples: [TWICE_OVER_THE_DATE_LINE],
    },
  )
})
