import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXCEPTION_NAMES } from '../../../src/base/exceptions.ts'
import { labelOf } from '../../../src/base/labels.ts'
import { formatInstant } from '../../../src/base/time.ts'
import { Landing } from '../../../src/ingest/landing.ts'
import type { DescribedDay } from '../../../src/report/described-day.ts'
import { deviceDays } from '../../../src/report/device-days.ts'
import { KeptFleet } from '../../../src/report/fleet/fleet.ts'
import { FleetLists } from '../../../src/report/fleet/fleet-list.ts'
import { isLabelOrder, labelKeyOf, ORDER_NAMES } from '../../../src/report/fleet/fleet-order.ts'
import type { FleetListTask, FleetRow } from '../../../src/report/fleet/fleet-page.ts'
import { summaryEntries } from '../../../src/report/report.ts'
import { rollUpShard } from '../../../src/rollup/roll-up-shard.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { DESCRIPTION } from '../../helpers/description.ts'
import { withStore } from '../../helpers/run-history.ts'
import { SETTINGS } from '../../rollup/shard-fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FIRST = 19_850
const START = FIRST * DAY
const DAYS = 8
const IDS = ['Alpha', 'beta', 'gamma-1', 'gamma-2']
const ADDRESSES = ['Kurze Straße 1', 'Langer Weg 2']
const value = fc.oneof(
  fc.record({ type: fc.constant('power'), on: fc.boolean() }),
  fc.record({ type: fc.constant('temperature'), celsius: fc.integer({ min: 0, max: 14 }) }),
  fc.record({ type: fc.constant('visitor'), count: fc.nat({ max: 5 }) }),
  fc.record({ type: fc.constant('gps'), lat: fc.constantFrom(50, 50.01), lon: fc.constant(8) }),
  fc.record({
    type: fc.constant('placement'),
    lat: fc.constant(50),
    lon: fc.constant(8),
    timezone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Los_Angeles'),
    address: fc.constantFrom(...ADDRESSES),
  }),
)
const event = fc
  .record({ device: fc.nat({ max: IDS.length - 1 }), at: fc.nat({ max: DAYS * 24 * 4 }), value })
  .map(({ device, at, value }) => ({ deviceId: IDS[device], at: START + (at * HOUR) / 4, ...value }))

const history = fc.record({
  batches: fc.array(fc.array(event, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
  routes: fc.array(fc.constantFrom('2', '12', null), { minLength: IDS.length, maxLength: IDS.length }),
  rolledUpAfter: fc.array(fc.integer({ min: 1, max: DAYS * 24 }), { minLength: 3, maxLength: 3 }),
})

const request = fc.record({
  from: fc.integer({ min: -1, max: DAYS }),
  length: fc.integer({ min: 1, max: 5 }),
  search: fc.option(fc.constantFrom('GAMMA', 'weg', ''), { nil: undefined }),
  timezone: fc.option(fc.constantFrom('UTC', 'Asia/Tokyo'), { nil: undefined, freq: 3 }),
  labels: fc.option(fc.constantFrom([['route', '2']], [['route', '12']], [['model', '2']]), {
    nil: undefined,
    freq: 4,
  }),
  exception: fc.option(fc.constantFrom(...EXCEPTION_NAMES, 'any' as const), { nil: undefined }),
  status: fc.option(fc.constantFrom('provisional', 'settled', 'none'), { nil: undefined }),
  unknown: fc.option(fc.constantFrom('currTemp', 'distance'), { nil: undefined, freq: 4 }),
  sort: fc.constantFrom(...ORDER_NAMES, 'label:route'),
  descending: fc.boolean(),
  within: fc.option(fc.constant({ prefix: 'gamma' }), { freq: 4 }),
}) as fc.Arbitrary<
  Omit<FleetListTask, 'offset' | 'limit' | 'now' | 'fromDay' | 'toDay'> & { from: number; length: number }
>

async function build(
  store: Store,
  { batches, routes, rolledUpAfter }: typeof history extends fc.Arbitrary<infer H> ? H : never,
) {
  let now = START
  for (const [nth, route] of routes.entries())
    if (route !== null) await store.registry.put(IDS[nth], { labels: { route } }, START)
  for (const [nth, events] of batches.entries()) {
    await new Landing(store.landing, { now: () => START + DAYS * DAY, purgedBefore: () => 0 }).land({ events })
    now = Math.max(now, START + rolledUpAfter[nth] * HOUR)
    for (let shard = 0; shard < store.rollups.shards; shard++)
      await rollUpShard(store, shard, SETTINGS, { now, refresh: true })
    await store.rollups.noteRolledUp(now, now)
  }
}

/**
 * What the list must say of a device, from its days one by one. A range is revised also where the day that was revised
 * is none any more: a placement in another zone can leave a date out, an erasure can empty it.
 */
function rowOf(days: readonly DescribedDay[], isRevised: boolean): Partial<FleetRow> {
  const known = days.filter(({ status }) => status !== 'none')
  const exceptionDays = EXCEPTION_NAMES.map(
    (name) => [name, days.filter((day) => day.exceptions.includes(name)).length] as const,
  )
  const held = exceptionDays.filter(([, count]) => count > 0)
  const lastHeardAt = days.findLast((day) => day.lastHeardAt !== null)?.lastHeardAt ?? null
  const status = known.some((day) => day.status === 'provisional')
    ? 'provisional'
    : known.length === 0
      ? 'none'
      : isRevised
        ? 'revised'
        : 'settled'
  return {
    status,
    exceptions: held.map(([name]) => name),
    exceptionDays: Object.fromEntries(held),
    lastHeardAt: lastHeardAt === null ? null : formatInstant(lastHeardAt),
  }
}

const matches = (
  row: FleetRow,
  { search = '', timezone, labels = [], exception, status, unknown }: Partial<FleetListTask>,
): boolean =>
  `${row.id}\n${row.address ?? ''}`.toLowerCase().includes(search.toLowerCase()) &&
  (timezone === undefined || row.timezone === timezone) &&
  labels.every(([key, value]) => row.labels[key] === value) &&
  (exception === undefined || (exception === 'any' ? row.exceptions.length > 0 : row.exceptions.includes(exception))) &&
  (status === undefined || row.status === status || (status === 'settled' && row.status === 'revised')) &&
  (unknown === undefined || row[unknown] === null)

test('a list of the fleet tells of each device what its days tell, and selects, sorts and pages them', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(request, { minLength: 1, maxLength: 4 }), async (past, requests) => {
      await withStore(async (store) => {
        await build(store, past)
        const now = START + DAYS * DAY
        const lists = new FleetLists(new KeptFleet(DESCRIPTION.defaultZone), DESCRIPTION)
        const all = await store.registry.devices()
        for (const { from, length, ...which } of requests) {
          const range = { fromDay: FIRST + from, toDay: FIRST + from + length - 1, now }
          const whole = { ...range, within: null, sort: 'id', descending: false, offset: 0, limit: 100 } as const
          const { rows } = await lists.list(store, whole)
          expect(rows.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
          const context = { ...store, defaultZone: DESCRIPTION.defaultZone, now }
          const entries = await summaryEntries(context, range)
          for (const [nth, device] of all.entries()) {
            const days = await deviceDays(store, device, range, DESCRIPTION)
            const { assertId: _, location, address, throwinDate, ...figures } = entries[nth]
            const revised = await store.rollups.revisedDays([device.number], range.fromDay, range.toDay)
            expect(rows[nth]).toMatchObject({ ...figures, ...rowOf(days, revised.size > 0) })
            const off = days.reduce((sum, { hoursOff }) => sum + hoursOff, 0)
            expect(Math.abs(rows[nth].hoursOff - off)).toBeLessThan(0.0001 * length)
          }
          const visible = rows.filter(({ id }) => which.within === null || id.startsWith('gamma'))
          const wanted = visible.filter((row) => matches(row, which))
          const found = await lists.list(store, { ...range, ...which, offset: 0, limit: 100 })
          expect(found.rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(wanted)
          expect([found.devices, found.matching]).toEqual([visible.length, wanted.length])
          const selected = visible.filter((row) =>
            matches(row, { search: which.search, timezone: which.timezone, labels: which.labels }),
          )
          expect(found.sums.devices).toBe(selected.length)
          for (const name of EXCEPTION_NAMES)
            expect(found.sums.exceptions[name]).toBe(selected.filter((row) => row.exceptions.includes(name)).length)
          expect(found.sums.figures.visitorCount).toBe(selected.reduce((sum, row) => sum + row.visitorCount, 0))
          expectSorted(found.rows, which)
          const paged = await Promise.all(
            [0, 2].map((offset) => lists.list(store, { ...range, ...which, offset, limit: 2 })),
          )
          expect(paged.flatMap((page) => page.rows)).toEqual(found.rows.slice(0, 4))
        }
      })
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) },
  )
})

function expectSorted(
  rows: readonly FleetRow[],
  { sort, descending }: Pick<FleetListTask, 'sort' | 'descending'>,
): void {
  const orderValue = (row: FleetRow): number | string | null => {
    if (isLabelOrder(sort)) return labelOf(row.labels, labelKeyOf(sort) as string)
    return sort === 'exceptions' ? Object.values(row.exceptionDays).reduce((sum, count) => sum + count, 0) : row[sort]
  }
  const values = rows.map(orderValue)
  const known = values.filter((value) => value !== null)
  expect(values.slice(known.length).every((value) => value === null)).toBe(true)
  for (const [nth, value] of known.slice(1).entries()) {
    if (descending) expect(value <= known[nth]).toBe(true)
    else expect(value >= known[nth]).toBe(true)
  }
}
