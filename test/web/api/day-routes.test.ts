import { describe, expect, test } from 'vitest'
import { FIGURE_NAMES } from '../../../src/rollup/figures/figures.ts'
import { DAY, visitors } from '../../helpers/events.ts'
import { oncePerGroup } from '../../helpers/when-finished.ts'
import { type AppFixture, appFixture, DAILY, expectError } from '../app-fixture.ts'

const dayUrl = (id: string, day: number | string = DAY): string => `/v1/devices/${encodeURIComponent(id)}/days/${day}`

/** An application with one device and its events of the day, rolled up. */
async function filled(id = 'a', count = 3): Promise<AppFixture> {
  const fixture = await appFixture()
  const instants = Array.from({ length: count }, (_, second) => Date.parse('2025-06-01T06:00:00Z') + second * 1000)
  await fixture.land(instants.map((at, second) => visitors(id, second, at)))
  await fixture.rollUp(DAY)
  return fixture
}

const unchanged = oncePerGroup(() => filled())

describe('GET /v1/devices/{id}/days/{day} refuses', () => {
  test('a day that is no YYYYMMDD of the calendar', async () => {
    const { get } = unchanged()
    for (const day of [
      '0',
      '2025601',
      '20250631',
      '20250229',
      '2025-06-01',
      'today',
      '1e7',
      '99991332',
      '%00',
      '%2F',
    ]) {
      expectError(await get(dayUrl('a', day)), 'bad-request', /YYYYMMDD/, day)
    }
    expectError(await get('/v1/devices/a/days/'), 'bad-request', /YYYYMMDD/)
    expectError(await get(`/v1/devices/a/days/${'9'.repeat(3000)}`), 'bad-request', /YYYYMMDD/)
  })

  test('a figure that there is not, and tells which there are', async () => {
    const { get } = unchanged()
    for (const figure of ['', 'visitors', 'toString', '__proto__', 'distance&figure=distance']) {
      expectError(await get(`${dayUrl('a')}?figure=${figure}`), 'bad-request', /one of visitorCount, /, figure)
    }
  })

  test('a limit that is no whole number from 1 to 1000', async () => {
    const { get } = unchanged()
    for (const limit of ['0', '-1', '1001', '1.5', 'ten', '', 'NaN', 'Infinity', '5&limit=6']) {
      expectError(await get(`${dayUrl('a')}?limit=${limit}`), 'bad-request', /limit/, limit)
    }
  })

  test('a cursor that no page gave', async () => {
    const { get } = unchanged()
    for (const after of ['', '1', 'x-1', '1-x', '-1-1', '1-1&after=1-2']) {
      expectError(await get(`${dayUrl('a')}?after=${after}`), 'bad-request', /after/, after)
    }
  })

  test('a device that is not registered, an id that can be none, and any other method', async () => {
    const { get, put, post } = unchanged()
    for (const id of ['b', 'toString', '__proto__']) expectError(await get(dayUrl(id)), 'not-found', /no such device/)
    for (const id of ['', 'x'.repeat(257)]) expectError(await get(dayUrl(id)), 'bad-request', /256/)
    for (const id of ['%', '%ED%A0%80']) expectError(await get(`/v1/devices/${id}/days/${DAY}`), 'bad-request')
    for (const answer of [await put(dayUrl('a'), {}), await post(dayUrl('a'), {})]) {
      expectError(answer, 'method-not-allowed', /GET/)
    }
  })

  test('a date that the device skips', async () => {
    const { get, put } = await appFixture()
    const apia = { at: '2011-01-01T00:00:00Z', lat: -13.8, lon: -171.8, timezone: 'Pacific/Apia' }
    await put('/v1/devices/a', { placements: [apia] })
    expectError(await get(dayUrl('a', 20111230)), 'not-found', /has no day 20111230.*Pacific\/Apia/)
    expect((await get(dayUrl('a', 20111231))).statusCode).toBe(200)
  })
})

describe('GET /v1/devices/{id}/days/{day}', () => {
  test('explains the figures of the daily report', async () => {
    const { get, post } = unchanged()
    const answer = await get(dayUrl('a'))
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
    const { assertId, ...figures } = (await post(DAILY, { day: DAY })).json().data.deviceStatusList[0]
    expect(answer.json()).toMatchObject({
      ...{ deviceId: assertId, day: DAY, status: 'settled', figures, matches: true, rawPurged: false },
      ...{ zones: [{ zone: 'UTC' }], events: 3, repeats: 0, rejects: {}, revisions: [], next: null },
      from: { visitorCount: { readings: 3, sum: 3 } },
      readings: [{ counts: 0 }, { counts: 1 }, { counts: 2 }],
    })
    expect(Object.keys(answer.json().from)).toEqual([...FIGURE_NAMES])
  })

  test('tells 250 readings in pages', async () => {
    const { get } = await filled('a', 250)
    const pages: { counts: number }[][] = []
    let after: string | null = null
    do {
      const more: string = after === null ? '' : `?after=${after}`
      const { readings, next } = (await get(dayUrl('a') + more)).json()
      pages.push(readings)
      after = next
    } while (after !== null)
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(pages.flat().map(({ counts }) => counts)).toEqual(Array.from({ length: 250 }, (_, index) => index))
  })

  test('tells readings of one figure alone where it is asked for', async () => {
    const { get } = unchanged()
    expect((await get(`${dayUrl('a')}?figure=visitorCount&limit=2`)).json().readings).toHaveLength(2)
    expect((await get(`${dayUrl('a')}?figure=distance`)).json()).toMatchObject({ readings: [], spans: [], next: null })
  })

  test('finds a device by an id of any characters', async () => {
    const { get, land, rollUp } = await appFixture()
    const ids = ['__proto__', '%', '%2F', 'a/b', '?', '#', '+', ' ', '😀', ':id', '...', '\u0000', '€'.repeat(256)]
    await land(ids.map((id, count) => visitors(id, count)))
    await rollUp(DAY)
    for (const [counts, deviceId] of ids.entries()) {
      expect((await get(dayUrl(deviceId))).json(), deviceId).toMatchObject({ deviceId, readings: [{ counts }] })
    }
  })
})
