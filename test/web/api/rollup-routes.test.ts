import { expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { appFixture, DAILY, expectError } from '../app-fixture.ts'

const URL = '/v1/rollups'

test('a span must be two days of the calendar in order, ten years at most; wait true or false', async () => {
  const { post } = await appFixture()
  const days = { fromDay: DAY, toDay: DAY }
  expectError(await post(URL, { toDay: DAY }), 'bad-request', /^fromDay is missing/)
  expectError(await post(URL, { fromDay: DAY }), 'bad-request', /^toDay is missing/)
  expectError(await post(URL, { ...days, fromDay: '20250601' }), 'bad-request', /^fromDay must be/)
  expectError(await post(URL, { ...days, toDay: 20250631 }), 'bad-request', /^toDay must be .*, not 20250631$/)
  expectError(await post(URL, { fromDay: DAY, toDay: DAY - 1 }), 'bad-request', /toDay/)
  expectError(await post(URL, { fromDay: 20150101, toDay: DAY }), 'bad-request', /3700/)
  for (const wait of [1, 'true', null, {}]) expectError(await post(URL, { ...days, wait }), 'bad-request', /^wait/)
  for (const body of ['', '[]', '{']) expectError(await post(URL, body), 'bad-request')
})

test('with wait it answers 200 when the days are in the reports, and tells how many device-days it computed', async () => {
  const { land, post } = await appFixture()
  await land([visitors('a', 3), visitors('b', 4, '2025-06-02T12:00:00Z')])
  const answer = await post(URL, { fromDay: DAY, toDay: DAY + 1, wait: true })
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({
    fromDay: DAY,
    toDay: DAY + 1,
    deviceDays: 2,
    version: expect.stringMatching(/^\d+\.\d+$/),
  })
  const { deviceStatusList } = (await post(DAILY, { day: DAY })).json().data
  expect(deviceStatusList.map(({ visitorCount }: { visitorCount: number }) => visitorCount)).toEqual([3, 0])
})

test('a report with the version of a rollup as `since` holds what it stored; a state that never was is refused', async () => {
  const { land, post, get } = await appFixture()
  await land([visitors('a', 3)])
  const { version } = (await post(URL, { fromDay: DAY, toDay: DAY, wait: true })).json()
  const report = await get(`/v1/reports/daily?day=${DAY}&since=${version}`)
  expect(report.json().data.deviceStatusList).toMatchObject([{ visitorCount: 3 }])
  for (const format of ['json', 'csv']) {
    expectError(
      await get(`/v1/reports/daily?day=${DAY}&since=99.1&format=${format}`),
      'store-behind',
      /not yet at 99\.1/,
    )
  }
  expectError(await post(`${DAILY}?since=99.1`, { day: DAY, assertIds: ['a'] }), 'store-behind')
  for (const since of ['', '1', 'x.y', '1.1.1', '1e1.1', '-1.1']) {
    expectError(await post(`${DAILY}?since=${since}`, { day: DAY }), 'bad-request', /since must be the version/)
  }
})

test('days without events are none to compute', async () => {
  const { post } = await appFixture()
  const answer = await post(URL, { fromDay: 20150601, toDay: DAY, wait: true })
  expect(answer.json()).toEqual({ fromDay: 20150601, toDay: DAY, deviceDays: 0, version: '0.0' })
})

test('without wait it answers 202, and the days follow', async () => {
  const { land, post } = await appFixture()
  await land([visitors('a', 3)])
  for (const body of [
    { fromDay: DAY, toDay: DAY },
    { fromDay: DAY, toDay: DAY, wait: false },
  ]) {
    const answer = await post(URL, body)
    expect(answer.statusCode).toBe(202)
    expect(answer.json()).toEqual({ fromDay: DAY, toDay: DAY })
  }
  const count = async () => (await post(DAILY, { day: DAY })).json().data.deviceStatusList[0].visitorCount
  await eventually(count).toBe(3)
})

test('days asked for again come out the same', async () => {
  const { land, rollUp, post } = await appFixture()
  await land([visitors('a', 3), { deviceId: 'a', at: '2025-06-01T06:00:00Z', type: 'power', on: true }])
  await rollUp(DAY, DAY + 8)
  const report = async () => (await post(DAILY, { day: DAY })).body
  const first = await report()
  await rollUp(DAY, DAY + 8)
  await rollUp(DAY - 100, DAY + 100)
  expect(await report()).toBe(first)
})
