import { expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { appFixture, expectError, SUMMARY } from '../app-fixture.ts'

const EVENTS = '/v1/devices/a/events'
const gps = (at: string, lat: number) => ({ deviceId: 'a', at, type: 'gps', lat, lon: 10 })
const fixture = async (settings = {}) => {
  const app = await appFixture(settings)
  return { ...app, erase: (query = '', path = EVENTS) => app.app.inject({ method: 'DELETE', url: `${path}${query}` }) }
}

test('erases the events of a span and a type, and the figures and the position follow', async () => {
  const { erase, land, rollUp, post, get } = await fixture()
  await land([visitors('a', 5), gps('2025-06-01T10:00:00Z', 1), gps('2025-06-01T11:00:00Z', 2)])
  await rollUp(DAY)
  const nothing = { erased: 0, byType: {}, rejects: 0, placementsLeft: 0, logEmptied: expect.any(Boolean) }
  expect((await erase('?from=2025-06-01T11:00:01Z')).json()).toMatchObject({ erased: 1, byType: { visitor: 1 } })
  expect((await erase('?to=2025-06-01T12:00:00%2B02:00')).json()).toEqual(nothing)
  const answer = await erase('?type=gps&from=1748775600000')
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({ ...nothing, erased: 1, byType: { gps: 1 } })
  expect((await get(`/v1/devices/a/days/${DAY}`)).json().due).toEqual({ causes: ['erased'] })
  await rollUp(DAY)
  const entry = (await post(SUMMARY, { startDay: DAY, endDay: DAY })).json().data.deviceStatusList[0]
  expect(entry).toMatchObject({ visitorCount: 0, location: '1,10' })
  expect((await get(`/v1/devices/a/days/${DAY}`)).json().revisions).toMatchObject([
    { causes: expect.arrayContaining(['erased']), figures: null, figuresErased: true },
  ])
})

test('wrong parameters are refused, unknown ones too, and nothing is erased', async () => {
  const { erase, land, service } = await fixture()
  await land([visitors('a', 5)])
  for (const query of [
    '?from=2025-06-01',
    '?from=1748775600',
    '?to=now',
    '?to=',
    '?from=2025-06-01T11:00:00+02:00',
    '?from=2025-06-02T00:00:00Z&to=2025-06-01T00:00:00Z',
    '?from=2025-06-02T00:00:00Z&to=2025-06-02T00:00:00Z',
    '?type=fix',
    '?type=gps&type=door',
    '?types=gps',
    '?until=2025-06-02T00:00:00Z',
  ]) {
    expectError(await erase(query), 'bad-request', /from|to|type/, query)
  }
  expectError(await erase('', '/v1/devices/b/events'), 'not-found', /device/)
  expect((await service.pipeline.reader.landing.counters()).erased).toBe(0)
})

test('purged days are named', async () => {
  const { erase, land, rollUp, service } = await fixture({ COOLER_RAW_RETENTION_DAYS: '400' })
  await land([visitors('a', 5)])
  await rollUp(DAY)
  await service.pipeline.upkeep.pruneRaw(Date.now())
  expectError(await erase(), 'raw-purged', /day 20250601 .*erase from 2025-06-02T00:00:00.000Z on/)
})
