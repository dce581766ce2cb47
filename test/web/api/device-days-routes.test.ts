import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { appFixture, expectError } from '../app-fixture.ts'

const URL = '/v1/devices/a/days'
const query = (fromDay: number | string, toDay: number | string): string => `?fromDay=${fromDay}&toDay=${toDay}`
const at = (time: string): string => `2025-06-0${time}:00Z`
const event = (time: string, more: object) => ({ deviceId: 'a', at: at(time), ...more })
const power = (time: string, on: boolean) => event(time, { type: 'power', on })

describe('the days of a device', () => {
  test('have figures as the reports, status, hours on, off and unknown, last heard and exceptions', async () => {
    const { get, land, rollUp } = await appFixture()
    await land([
      power('1T06:00', true),
      power('1T10:00', false),
      power('1T15:00', true),
      event('1T16:00', { type: 'temperature', celsius: 12, setpoint: 4 }),
      event('2T23:00', { type: 'gps', lat: 1, lon: 1 }),
      event('2T00:00', { type: 'placement', lat: 1, lon: 2 }),
    ])
    await rollUp(DAY)
    const { days } = (await get(URL + query(20250531, 20250604))).json()
    expect(days.map(({ day }: { day: number }) => day)).toEqual([20250531, 20250601, 20250602, 20250603, 20250604])
    expect(days[0]).toMatchObject({
      status: 'none',
      powerDuration: 0,
      hoursUnknown: null,
      lastHeardAt: null,
      exceptions: ['silent', 'no-power-data'],
    })
    expect(days[1]).toMatchObject({
      status: 'settled',
      powerDuration: 13,
      hoursOff: 5,
      hoursUnknown: 6,
      currTemp: 12,
      lastHeardAt: '2025-06-01T16:00:00.000Z',
      exceptions: ['off', 'warm'],
    })
    expect(days[2]).toMatchObject({
      status: 'settled',
      powerDuration: 24,
      hoursUnknown: 0,
      distanceMore: 1,
      lastHeardAt: '2025-06-02T23:00:00.000Z',
      exceptions: ['moved'],
    })
    expect(days[3]).toMatchObject({
      powerDuration: 24,
      lastHeardAt: '2025-06-02T23:00:00.000Z',
      exceptions: ['silent'],
    })
    const report = (await get(`/v1/reports/daily?day=${DAY}`)).json().data.deviceStatusList[0]
    const { assertId, ...figures } = report
    expect([assertId, days[1]]).toMatchObject(['a', figures])
  })

  test('late events make them revised; limits are settings', async () => {
    const { get, land, rollUp } = await appFixture({ COOLER_SILENT_HOURS: '5', COOLER_OFF_HOURS: '20' })
    await land([power('1T06:00', false)])
    await rollUp(DAY)
    await land([visitors('a', 3, at('1T12:00'))])
    await rollUp(DAY)
    const { days } = (await get(URL + query(DAY, DAY))).json()
    expect(days).toMatchObject([{ status: 'revised', visitorCount: 3, hoursOff: 18, exceptions: ['silent'] }])
  })

  test('to come, or of a device of which nothing was heard, are empty', async () => {
    const { get, put } = await appFixture()
    await put('/v1/devices/a', {})
    const { days } = (await get(URL + query(20990101, 20990131))).json()
    expect(days).toHaveLength(31)
    for (const day of days) expect(day).toMatchObject({ status: 'none', currTemp: null, exceptions: [] })
    const past = (await get(URL + query(DAY, DAY))).json().days
    expect(past).toMatchObject([{ status: 'none', exceptions: ['silent', 'no-power-data'] }])
  })
})

test('a range that is none, an unknown device, and any other method are refused', async () => {
  const { get, post, land } = await appFixture()
  await land([visitors('a', 1)])
  expectError(await get(URL), 'bad-request', /fromDay is missing/)
  expectError(await get(`${URL}?fromDay=${DAY}`), 'bad-request', /toDay is missing/)
  expectError(await get(URL + query(DAY, DAY - 1)), 'bad-request', /toDay .*|calendar/)
  expectError(await get(URL + query(20250602, 20250601)), 'bad-request', /toDay is before fromDay/)
  expectError(await get(URL + query(20250601, 20250702)), 'bad-request', /at most 31/)
  expectError(await get(URL + query('x', DAY)), 'bad-request', /fromDay must be/)
  expectError(await get(`/v1/devices/nobody/days${query(DAY, DAY)}`), 'not-found', /nobody/)
  expectError(await post(URL + query(DAY, DAY), {}), 'method-not-allowed')
})
