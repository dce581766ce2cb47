import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/base/time.ts'
import { Landing } from '../../src/ingest/landing.ts'
import type { RollupRequest } from '../../src/rollup/rollup-request.ts'
import { isOpen } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { causesOf } from './revision-fixture.ts'
import { event, HOUR_MS, land, onHours, power, rollUp, SETTINGS, storedDays, visitor } from './shard-fixture.ts'

const MINUTE_MS = 60_000
const CLOSING = { ...SETTINGS, rollupAtMinute: 20 }
const at = (instant: string): number => Date.parse(`2024-${instant}Z`)

const rollUpAt = (store: Store, instant: string | number, request: Partial<RollupRequest> = {}, settings = CLOSING) =>
  rollUp(store, { now: typeof instant === 'string' ? at(instant) : instant, ...request }, settings)

const openDates = async (store: Store): Promise<number[]> =>
  [...(await storedDays(store))].flatMap(([date, rollup]) => (isOpen(rollup) ? [date] : []))

/** When the stored days close next, by date; null for those that are settled. */
const closings = async ({ rollups }: Store): Promise<Record<number, string | null>> =>
  Object.fromEntries(
    (await rollups.storedRows(0, 0, 0, 100_000)).map(({ day, nextCloseAt }) => [
      formatDay(day),
      nextCloseAt === null ? null : new Date(nextCloseAt).toISOString().slice(5, 16),
    ]),
  )

const bodiesOf = async ({ rollups }: Store): Promise<unknown> =>
  (await rollups.storedRows(0, 0, 0, 100_000)).map(({ body, ...row }) => ({ ...row, body: body.toString('hex') }))

describe('a day is provisional until it closes', () => {
  test('after its end, too, and a refresh does not settle it before', async () => {
    const store = temporaryStore()
    await land(store, visitor('05-10T12:00', 1))
    for (const now of ['05-10T13:00', '05-11T00:00', '05-11T00:19:59.999']) {
      await rollUpAt(store, now, { refresh: true })
      expect(await openDates(store)).toEqual([20240510])
      expect(await closings(store)).toEqual({ 20240510: '05-11T00:20' })
    }
    await rollUpAt(store, '05-11T00:20', { refresh: true })
    expect(await openDates(store)).toEqual([])
    expect(await closings(store)).toEqual({ 20240510: null })
  })

  test('and is settled by a rollup at that instant or later, and by none before', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true), visitor('05-12T12:00', 1))
    await rollUpAt(store, '05-10T12:00')
    const bodies = await bodiesOf(store)
    for (const now of ['05-10T23:59', '05-11T00:00', '05-11T00:19:59.999'])
      expect(await rollUpAt(store, now)).toMatchObject({ passes: 0 })
    expect(await bodiesOf(store)).toEqual(bodies)
    expect(await rollUpAt(store, '05-11T00:20')).toMatchObject({ passes: 1 })
    expect(await openDates(store)).toEqual([20240511, 20240512])
    expect(await onHours(store)).toMatchObject({ 20240510: 18, 20240511: 1 / 3 })
    expect(await closings(store)).toEqual({ 20240510: null, 20240511: '05-12T00:20', 20240512: '05-13T00:20' })
  })

  test('and its shard is open from then on, for those who ask', async () => {
    const store = temporaryStore()
    await land(store, visitor('05-10T12:00', 1))
    await rollUpAt(store, '05-10T12:00')
    const { rollups } = store
    expect(await rollups.openShards(at('05-11T00:20') - 1)).toEqual([])
    expect(await rollups.openShards(at('05-11T00:20'))).toEqual([0])
    await rollUpAt(store, '05-11T00:20')
    expect(await rollups.openShards(Number.MAX_SAFE_INTEGER)).toEqual([])
    await land(store, visitor('05-10T13:00', 1))
    await rollUpAt(store, '05-11T00:20')
    expect(await rollups.openShards(Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('the earliest of its block comes first, each device by its own clock', async () => {
    const store = temporaryStore()
    const others = Array.from({ length: 15 }, (_, number) => ({ ...visitor('05-10T12:00', 1), deviceId: `b${number}` }))
    const place = { type: 'placement', lat: 1, lon: 1, timezone: 'America/New_York' }
    const far = [event('01-01T00:00', place), visitor('05-10T12:00', 1)].map((one) => ({ ...one, deviceId: 'far' }))
    await land(store, visitor('05-10T12:00', 1), ...others, ...far)
    await rollUpAt(store, '05-10T13:00')
    expect(await closings(store)).toEqual({ 20240510: '05-11T00:20' })
    await rollUpAt(store, '05-11T00:20')
    expect(await closings(store)).toEqual({ 20240510: '05-11T04:20' })
    expect(await rollUpAt(store, '05-11T04:19')).toMatchObject({ passes: 0 })
    expect(await rollUpAt(store, '05-11T04:20')).toMatchObject({ passes: 1, deviceDays: 1 })
    expect(await closings(store)).toEqual({ 20240510: null })
  })
})

describe('nights without a rollup', () => {
  const history = [
    power('05-10T06:00', true),
    ...['11', '12', '13'].map((day) => visitor(`05-${day}T12:00`, 1)),
    power('05-13T18:00', false),
  ]

  test('are made up by one later rollup', async () => {
    const [nightly, once] = [temporaryStore(), temporaryStore()]
    for (const store of [nightly, once]) {
      await land(store, ...history)
      await rollUpAt(store, '05-10T10:00')
    }
    for (let day = 11; day <= 20; day++) await rollUpAt(nightly, `05-${day}T00:20`)
    expect(await onHours(nightly)).toEqual({
      20240510: 18,
      20240511: 24,
      20240512: 24,
      20240513: 18,
      20240514: 0,
      20240515: 0,
    })
    expect((await rollUpAt(once, '05-20T00:20')).passes).toBe(1)
    expect(await bodiesOf(once)).toEqual(await bodiesOf(nightly))
    expect(await causesOf(once)).toEqual({})
  })

  test('of several weeks, too', async () => {
    const [late, whole] = [temporaryStore(), temporaryStore()]
    const long = Array.from({ length: 30 }, (_, index) =>
      power(`05-${String(index + 1).padStart(2, '0')}T07:00`, index % 4 < 2),
    )
    for (const store of [late, whole]) await land(store, ...long)
    await rollUpAt(late, '05-01T10:00')
    for (const store of [late, whole]) await rollUpAt(store, '06-10T00:20')
    expect(await bodiesOf(late)).toEqual(await bodiesOf(whole))
    expect(await openDates(late)).toEqual([])
    expect(await causesOf(late)).toEqual({})
  })
})

/** [zone, closing time, date, its end and its close in UTC, its hours] */
const nights: [string, string, number, string, string, number][] = [
  ['America/Santiago', '00:20', 20240406, '04-07T04:00', '04-07T04:20', 25],
  ['America/Santiago', '23:30', 20240405, '04-06T03:00', '04-07T02:30', 24],
  ['America/Santiago', '23:30', 20240406, '04-07T04:00', '04-08T03:30', 25],
  // Midnight never comes, nor does the time after it: the day begins at one.
  ['America/Santiago', '00:20', 20240907, '09-08T04:00', '09-08T04:00', 24],
  ['America/Santiago', '01:00', 20240907, '09-08T04:00', '09-08T04:00', 24],
  ['America/Santiago', '01:20', 20240907, '09-08T04:00', '09-08T04:20', 24],
  // Half past two never comes.
  ['Europe/Berlin', '02:30', 20240330, '03-30T23:00', '03-31T01:00', 24],
  ['Europe/Berlin', '03:00', 20240330, '03-30T23:00', '03-31T01:00', 24],
  ['Europe/Berlin', '00:20', 20240331, '03-31T22:00', '03-31T22:20', 23],
  // Half past two comes twice.
  ['Europe/Berlin', '02:30', 20241026, '10-26T22:00', '10-27T00:30', 24],
  ['Europe/Berlin', '03:00', 20241026, '10-26T22:00', '10-27T02:00', 24],
  ['Europe/Berlin', '00:20', 20241027, '10-27T23:00', '10-27T23:20', 25],
]

test.each(nights)(
  'in %s at %s the night after %i closes it, once',
  async (defaultZone, time, date, end, close, hours) => {
    const store = temporaryStore()
    const [hour, minute] = time.split(':').map(Number)
    const settings = { ...CLOSING, defaultZone, rollupAtMinute: hour * 60 + minute }
    const noon = new Date(at(end) - 12 * HOUR_MS).toISOString().slice(0, 16)
    const landing = new Landing(store.landing, { now: () => at('12-31T00:00'), purgedBefore: () => 0 })
    await landing.land({ events: [visitor(noon, 1), power(noon, true)] })
    await rollUpAt(store, at(end) - 10 * HOUR_MS, {}, settings)
    expect((await closings(store))[date]).toBe(close)
    for (const now of [at(end) - 1, at(close) - 1]) {
      await rollUpAt(store, now, { refresh: true }, settings)
      expect(await openDates(store)).toContain(date)
      expect(await rollUpAt(store, now, {}, settings)).toMatchObject({ passes: 0 })
    }
    await rollUpAt(store, close, {}, settings)
    expect(await openDates(store)).not.toContain(date)
    expect((await storedDays(store)).get(date)).toMatchObject({ lengthMs: hours * HOUR_MS, visitors: 1 })
    for (let minutes = 1; minutes <= 180; minutes += 7)
      expect(await rollUpAt(store, at(close) + minutes * MINUTE_MS, {}, settings)).toMatchObject({ passes: 0 })
  },
)

describe('where the clock was ahead by three days', () => {
  const history = ['10', '11', '12', '13', '14'].map((day) => power(`05-${day}T06:00`, day !== '12'))

  test('what it settled becomes provisional again, once, and is right in the end', async () => {
    const [store, right] = [temporaryStore(), temporaryStore()]
    for (const one of [store, right]) await land(one, ...history.slice(0, 2))
    await rollUpAt(store, '05-14T12:00')
    expect(await openDates(store)).toEqual([])
    await rollUpAt(right, '05-11T12:00')
    await rollUpAt(store, '05-11T12:00')
    expect(await openDates(store)).toEqual([20240511, 20240512, 20240513])
    expect(await onHours(store)).toEqual({ ...(await onHours(right)), 20240512: 0, 20240513: 0 })
    expect(await rollUpAt(store, '05-11T12:00')).toMatchObject({ passes: 0 })
    expect(await rollUpAt(store, '05-11T12:01')).toMatchObject({ passes: 0 })
    for (const one of [store, right]) await land(one, ...history.slice(2))
    for (const night of ['12', '13', '14', '15', '16', '17'])
      for (const one of [store, right]) await rollUpAt(one, `05-${night}T00:20`)
    expect(await bodiesOf(store)).toEqual(await bodiesOf(right))
    expect(await causesOf(right)).toEqual({})
    expect(await causesOf(store)).toEqual({ 20240511: ['clock'], 20240512: ['clock'], 20240513: ['clock'] })
  })

  test('by up to a minute, as of two processes, nothing is computed again', async () => {
    const store = temporaryStore()
    await land(store, ...history)
    await rollUpAt(store, '05-15T12:00')
    expect(await rollUpAt(store, '05-15T11:59')).toMatchObject({ passes: 0 })
    expect(await rollUpAt(store, at('05-15T11:59') - 1)).not.toMatchObject({ passes: 0 })
  })

  test('a shard that it rolled up is known to those who ask', async () => {
    const store = temporaryStore()
    await land(store, ...history)
    await rollUpAt(store, '05-14T12:00')
    expect(await store.rollups.shardsRolledUpAfter(at('05-14T12:00') - 1)).toEqual([0])
    expect(await store.rollups.shardsRolledUpAfter(at('05-14T12:00'))).toEqual([])
  })
})

test('a rollup that is asked for again writes the same bytes', async () => {
  const store = temporaryStore()
  await land(store, power('05-10T06:00', true), visitor('05-11T12:00', 1), visitor('05-14T10:00', 1))
  await rollUpAt(store, '05-14T12:00')
  const bodies = await bodiesOf(store)
  const days = { from: 0, to: 100_000 }
  for (let round = 0; round < 2; round++) {
    expect(await rollUpAt(store, '05-14T12:00', { days, refresh: true })).toMatchObject({ passes: 1 })
    expect(await bodiesOf(store)).toEqual(bodies)
  }
})
