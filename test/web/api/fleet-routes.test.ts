import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { oncePerGroup } from '../../helpers/when-finished.ts'
import { appFixture, expectError } from '../app-fixture.ts'
import { keyedApp } from '../keyed-app.ts'

const at = (time: string): string => `2025-06-0${time}:00Z`
const event = (deviceId: string, time: string, more: object) => ({ deviceId, at: at(time), ...more })
const gps = (deviceId: string, time: string, lat: number) => event(deviceId, time, { type: 'gps', lat, lon: 13 })
const place = (deviceId: string, more: object) =>
  event(deviceId, '1T00:00', { type: 'placement', lat: 52, lon: 13, ...more })

const FLEET = [
  place('a', { address: 'Kurze Straße 1' }),
  place('b', { address: 'Langer Weg 2', timezone: 'Asia/Tokyo' }),
  event('a', '1T00:00', { type: 'power', on: true }),
  gps('a', '1T08:00', 52.001),
  gps('a', '1T20:00', 52.02),
  gps('a', '2T08:00', 52.5),
  event('b', '1T00:00', { type: 'power', on: false }),
  event('b', '1T10:00', { type: 'temperature', celsius: 12 }),
  visitors('c', 3, at('1T12:00')),
]

async function fleet(settings = {}) {
  const fixture = await appFixture(settings)
  await fixture.land(FLEET)
  await fixture.rollUp(DAY)
  const list = async (query: string) => (await fixture.get(encodeURI(`/v1/fleet?${query}`))).json()
  const ids = async (query: string) => (await list(query)).rows.map(({ id }: { id: string }) => id)
  return { ...fixture, list, ids }
}

const unchanged = oncePerGroup(() => fleet())

describe('the fleet on a day', () => {
  test('has what somebody asks of each device, and the last fix of that day, not the latest one', async () => {
    const { list } = unchanged()
    const { rows, sums, devices, matching, next } = await list(`day=${DAY}`)
    expect([devices, matching, next]).toEqual([3, 3, null])
    expect(rows[0]).toMatchObject({
      id: 'a',
      status: 'settled',
      powerDuration: 24,
      hoursOff: 0,
      distanceMore: 1,
      exceptions: ['moved'],
      exceptionDays: { moved: 1 },
      timezone: 'UTC',
      address: 'Kurze Straße 1',
      placement: { at: at('1T00:00').replace('Z', '.000Z'), lat: 52, lon: 13 },
      lastHeardAt: at('1T20:00').replace('Z', '.000Z'),
      lastFix: { at: at('1T20:00').replace('Z', '.000Z'), lat: 52.02, lon: 13 },
    })
    expect(rows[1]).toMatchObject({ timezone: 'Asia/Tokyo', lastFix: null, exceptions: ['off', 'warm'] })
    expect(rows[2]).toMatchObject({ id: 'c', placement: null, address: null, exceptions: ['no-power-data'] })
    expect(sums).toMatchObject({
      devices: 3,
      exceptions: { moved: 1, off: 1, warm: 1, silent: 0, 'no-power-data': 1, any: 3 },
      status: { provisional: 0, settled: 3, none: 0 },
      unknown: { currTemp: 2, distance: 2 },
      figures: { visitorCount: 3, powerDuration: 24, currTemp: 12, maxTemp: 12 },
    })
  })

  test('is sorted, filtered and paged', async () => {
    const { ids, list } = unchanged()
    expect(await ids(`day=${DAY}&sort=visitorCount&order=desc`)).toEqual(['c', 'a', 'b'])
    expect(await ids(`day=${DAY}&sort=currTemp`)).toEqual(['b', 'a', 'c'])
    expect(await ids(`day=${DAY}&order=desc`)).toEqual(['c', 'b', 'a'])
    expect(await ids(`day=${DAY}&exception=warm`)).toEqual(['b'])
    expect(await ids(`day=${DAY}&exception=any&search=STRASSE`)).toEqual([])
    expect(await ids(`day=${DAY}&search=straße`)).toEqual(['a'])
    expect(await ids(`day=${DAY}&timezone=Asia/Tokyo`)).toEqual(['b'])
    expect(await ids(`day=${DAY}&unknown=distance`)).toEqual(['b', 'c'])
    expect(await list(`day=${DAY}&status=none`)).toMatchObject({ matching: 0, rows: [] })
    expect(await ids(`day=${DAY}&limit=2&offset=1`)).toEqual(['b', 'c'])
    expect((await list(`day=${DAY}&limit=2`)).next).toBe(2)
    expect(await ids(`day=${DAY}&offset=1000000000`)).toEqual([])
  })

  test('before anything was heard has only silence, and one to come nothing', async () => {
    const { list } = unchanged()
    const before = await list('day=20240101')
    expect(before.rows[0]).toMatchObject({ status: 'none', hoursUnknown: null, lastHeardAt: null, lastFix: null })
    expect(before.sums.exceptions).toMatchObject({ silent: 3, 'no-power-data': 3, moved: 0 })
    expect((await list('day=20990101')).sums).toMatchObject({ status: { none: 3 }, exceptions: { any: 0 } })
  })

  test('over a range counts the days of each exception', async () => {
    const { list } = unchanged()
    const { rows } = await list('fromDay=20250530&toDay=20250610')
    expect(rows[0]).toMatchObject({
      status: 'settled',
      exceptions: ['moved', 'silent', 'no-power-data'],
      exceptionDays: { moved: 2 },
    })
    expect(rows[0].lastHeardAt).toBe('2025-06-02T08:00:00.000Z')
    expect(rows[2]).toMatchObject({ visitorCount: 3 })
  })

  test('leaves out devices that retired before, and those outside the limit of a key', async () => {
    const { put, ids } = await fleet()
    await put('/v1/devices/c', { retiredAt: at('3T00:00') })
    expect(await ids(`day=${DAY}`)).toEqual(['a', 'b', 'c'])
    expect(await ids('day=20250604')).toEqual(['a', 'b'])
    const { ask, fill } = await keyedApp({ reader: { scopes: ['read'], prefix: 'b' } })
    await fill(FLEET)
    const { devices, rows } = (await ask('reader', 'GET', `/v1/fleet?day=${DAY}`)).json()
    expect([devices, rows.map(({ id }: { id: string }) => id)]).toEqual([1, ['b']])
  })
})

test('a day that is none, a range without an end, and unknown words are refused', async () => {
  const { get } = await appFixture()
  for (const query of ['', `fromDay=${DAY}`, `day=${DAY}&fromDay=${DAY}`])
    expectError(await get(`/v1/fleet?${query}`), 'bad-request', /name either day, or both fromDay and toDay/)
  expectError(await get('/v1/fleet?fromDay=20250601&toDay=20250702'), 'bad-request', /at most 31/)
  for (const query of [
    'exception=broken',
    'sort=colour',
    'order=up',
    'status=open',
    'limit=0',
    'offset=-1',
    'unknown=x',
  ])
    expectError(await get(`/v1/fleet?day=${DAY}&${query}`), 'bad-request')
})

test('of the ids that no path can hold, the query names the device', async () => {
  const { get, land, put } = await appFixture()
  await land([visitors('..', 1), visitors('-', 2)])
  expect((await get('/v1/devices/-?deviceId=..')).json().id).toBe('..')
  expect((await get('/v1/devices/-')).json().id).toBe('-')
  expect((await put('/v1/devices/-?deviceId=.', {})).json().id).toBe('.')
  expect((await get(`/v1/devices/-/days/${DAY}?deviceId=..`)).json().deviceId).toBe('..')
  expectError(await get(`/v1/devices/-?deviceId=${'x'.repeat(257)}`), 'bad-request')
})

describe('the fleet on a map', () => {
  test('has every device that matches where it is meant to stand, and counts those without a placement', async () => {
    const { get } = unchanged()
    const { points, ...counts } = (await get(`/v1/fleet/map?day=${DAY}`)).json()
    expect(counts).toEqual({ matching: 3, unplaced: 1 })
    expect(points).toEqual([
      { id: 'a', lat: 52, lon: 13, exceptions: ['moved'], isKnown: true },
      { id: 'b', lat: 52, lon: 13, exceptions: ['off', 'warm'], isKnown: false },
    ])
    expect((await get(`/v1/fleet/map?day=${DAY}&exception=moved`)).json()).toMatchObject({ matching: 1, unplaced: 0 })
    expect((await get('/v1/fleet/map')).statusCode).toBe(400)
  })

  test('shows a limited key its devices alone', async () => {
    const { ask, fill } = await keyedApp({ some: { scopes: ['read'], prefix: 'b' } })
    await fill(FLEET)
    const answer = await ask('some', 'GET', `/v1/fleet/map?day=${DAY}`)
    expect(answer.json().points.map(({ id }: { id: string }) => id)).toEqual(['b'])
  })
})

test('a figure of each day is that of the day alone, and null where nothing is stored or it is unknown', async () => {
  const { list } = unchanged()
  const { rows } = await list('fromDay=20250531&toDay=20250602&daily=currTemp')
  expect(rows.map(({ id, daily }: { id: string; daily: unknown }) => [id, daily])).toEqual([
    ['a', [null, null, null]],
    ['b', [null, 12, null]],
    ['c', [null, null, null]],
  ])
  const days = await list('fromDay=20250601&toDay=20250603&daily=distance')
  for (const [nth, day] of ['20250601', '20250602', '20250603'].entries()) {
    const alone = await list(`day=${day}`)
    expect(days.rows.map(({ daily }: { daily: number[] }) => daily[nth])).toEqual(
      alone.rows.map(({ distance }: { distance: number | null }) => distance),
    )
  }
})
