import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeviceLimit } from '../../../src/base/device-limit.ts'
import type { Placement } from '../../../src/event/placement.ts'
import { KeptFleet } from '../../../src/report/fleet/fleet.ts'
import { FleetReports } from '../../../src/report/fleet/fleet-report.ts'
import { join } from '../../../src/report/fleet/report-parts.ts'
import { dailyEntries, summaryEntries } from '../../../src/report/report.ts'
import { dailyJson, summaryJson } from '../../../src/report/report-json.ts'
import { type DeviceDay, emptyDeviceDay } from '../../../src/store/device-day.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { type DeviceState, placeOf } from '../../../src/store/rollup-store.ts'
import { withStore } from '../../helpers/run-history.ts'

const FIRST_DAY = 19_850
const DAYS = 5
const DAY_MS = 86_400_000
const NOW = (FIRST_DAY + 3) * DAY_MS + 12_345
const DEFAULT_ZONE = 'Asia/Shanghai'

const counted = fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 300 }), fc.nat({ max: 100_000 }))
const sum = fc.oneof(fc.constant(0), fc.integer({ min: -300_000, max: 300_000 }), fc.integer({ min: -1e12, max: 1e12 }))
const thousandths = fc.integer({ min: -60_000, max: 80_000 })
const span = fc.oneof(fc.constant(0), fc.nat({ max: 720 }), fc.nat({ max: DAY_MS }))

/** Any statistics, whether they go together or not: what is written of them is what counts here. */
const deviceDay: fc.Arbitrary<DeviceDay> = fc
  .record({
    visitors: fc.oneof(counted, fc.constant(2 ** 40 + 7)),
    doors: counted,
    celsiusSum: sum,
    celsiusCount: counted,
    celsiusMin: thousandths,
    celsiusMax: thousandths,
    setpointSum: sum,
    setpointCount: counted,
    onMs: span,
    onDaytimeMs: span,
    distanceSumMm: fc.oneof(fc.nat({ max: 400_000 }), fc.nat({ max: 2 ** 31 - 1 })),
    distanceCount: counted,
  })
  .map((statistics) => ({ ...emptyDeviceDay(), ...statistics }))

const degrees = fc.oneof(
  fc.constantFrom(0, -1, 10_000_000, -900_000_000, 525_200_000),
  fc.integer({ min: -9e8, max: 9e8 }),
)
const address = fc.option(
  fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('a "b"', '\uD83E', '冰')),
)

const placement: fc.Arbitrary<Placement> = fc.record({
  at: fc.integer({ min: NOW - 3 * DAY_MS, max: NOW + DAY_MS }),
  seq: fc.constantFrom(-1, 4),
  lat: degrees,
  lon: degrees,
  zone: fc.constantFrom('', 'Europe/Berlin', 'America/St_Johns'),
  address,
})

const device = fc.record({
  id: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a-d]{1,3}$/)),
  days: fc.array(fc.option(deviceDay), { minLength: DAYS, maxLength: DAYS }),
  placements: fc.array(placement, { maxLength: 3 }),
  retiredAt: fc.option(fc.integer({ min: FIRST_DAY * DAY_MS, max: (FIRST_DAY + DAYS) * DAY_MS })),
  fix: fc.option(fc.record({ at: fc.constant(NOW), seq: fc.constant(-1), lat: degrees, lon: degrees, address })),
})

type Device = typeof device extends fc.Arbitrary<infer One> ? One : never

async function fill({ registry, rollups }: Store, devices: readonly Device[]): Promise<void> {
  const { shards } = rollups
  for (const { id, placements, retiredAt } of devices) await registry.put(id, { placements, retiredAt }, NOW)
  for (let shard = 0; shard < shards; shard++) {
    const changes = new Map<number, Map<number, Map<number, DeviceDay | null>>>()
    const states = new Map<number, DeviceState>()
    for (const { id, days, fix } of devices) {
      const number = (await registry.device(id))?.number ?? -1
      const place = placeOf(number, shards)
      if (place.shard !== shard) continue
      const ofBlock = changes.get(place.block) ?? new Map()
      changes.set(place.block, ofBlock)
      for (const [nth, day] of days.entries()) {
        const slots = ofBlock.get(FIRST_DAY + nth) ?? new Map()
        ofBlock.set(FIRST_DAY + nth, slots.set(place.slot, day))
      }
      states.set(number, { firstHeardAt: 1, lastHeardAt: NOW, firstFix: null, lastFix: fix })
    }
    const nothing = { doneSegments: [], doneDevices: [], furtherDue: [], revisions: [], erasedDays: [] }
    await rollups.commit({ shard, version: await rollups.version(shard), now: NOW, changes, states, ...nothing })
  }
}

const devices = fc.uniqueArray(device, { selector: ({ id }) => id, maxLength: 40 })
const request = fc.record({
  from: fc.integer({ min: -1, max: DAYS }),
  length: fc.integer({ min: 1, max: DAYS }),
  now: fc.integer({ min: NOW - 2 * DAY_MS, max: NOW + 2 * DAY_MS }),
  ids: fc.option(fc.array(fc.stringMatching(/^[a-d]{1,3}$/), { maxLength: 8 }), { nil: undefined }),
  within: fc.option(
    fc.oneof(
      fc.record({ prefix: fc.constantFrom('a', 'b', '') }),
      fc.array(fc.stringMatching(/^[a-d]$/)).map((ids) => ({ ids: new Set(ids) })),
    ) as fc.Arbitrary<DeviceLimit>,
  ),
})

test('reports of many devices are, byte for byte, those of one device after the other', async () => {
  await fc.assert(
    fc.asyncProperty(devices, fc.array(request, { minLength: 1, maxLength: 5 }), async (fleet, requests) => {
      await withStore(async (store) => {
        await fill(store, fleet)
        const { registry, rollups } = store
        const reports = new FleetReports(new KeptFleet(DEFAULT_ZONE))
        // The first has all devices, as after a whole report; the others only their own.
        const thirds = [
          reports,
          new FleetReports(new KeptFleet(DEFAULT_ZONE)),
          new FleetReports(new KeptFleet(DEFAULT_ZONE)),
        ]
        for (const { from, length, now, ids, within } of requests) {
          const [fromDay, toDay] = [FIRST_DAY + from, FIRST_DAY + from + length - 1]
          const context = { registry, rollups, defaultZone: DEFAULT_ZONE, now, within }
          const task = { fromDay, toDay, now, within, ...(ids === undefined ? {} : { ids }) }
          const ofDay = { ...task, toDay: fromDay }
          const daily = await reports.daily({ registry, rollups }, ofDay)
          const summary = await reports.summary({ registry, rollups }, task)
          expect(text(daily.bytes)).toBe(dailyJson(fromDay, await dailyEntries(context, fromDay, ids)))
          expect(text(summary.bytes)).toBe(summaryJson(await summaryEntries(context, { fromDay, toDay }, ids)))
          for (const [name, asked, whole] of [
            ['daily', ofDay, daily],
            ['summary', task, summary],
          ] as const) {
            const parts = await Promise.all(
              thirds.map((third, nth) => third.part(name, { registry, rollups }, asked, { nth, of: thirds.length })),
            )
            expect(text(join(name, asked, parts))).toBe(text(whole.bytes))
            expect(Math.min(...parts.map(({ until }) => until))).toBe(whole.until)
          }
          // Nothing of it changes by time alone before it says so.
          const last = Math.min(summary.until - 1, now + 5 * DAY_MS)
          const later = summaryJson(await summaryEntries({ ...context, now: last }, { fromDay, toDay }, ids))
          expect(text(summary.bytes)).toBe(later)
        }
      })
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) },
  )
})

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
