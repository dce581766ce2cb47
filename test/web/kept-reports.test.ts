import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { appFixture, DAILY, SUMMARY } from './app-fixture.ts'

const OPERATIONS = [
  { path: DAILY, days: { day: DAY } },
  { path: SUMMARY, days: { startDay: DAY, endDay: DAY } },
]
/** Of all devices, and of one: both are kept, in different ways. */
const CASES = OPERATIONS.flatMap((operation) => [
  { ...operation, of: 'all devices', body: operation.days },
  { ...operation, of: 'one device', body: { ...operation.days, assertIds: ['a'] } },
])

describe.each(CASES)('$path of $of, asked for again', ({ path, body }) => {
  const counts = async ({ post }: Awaited<ReturnType<typeof appFixture>>): Promise<unknown> => {
    const { deviceStatusList } = JSON.parse((await post(path, body)).body).data
    return deviceStatusList.map(({ assertId, visitorCount }: Record<string, unknown>) => [assertId, visitorCount])
  }

  test('is the same until a rollup, and new after it', async () => {
    const app = await appFixture()
    await app.land([visitors('a', 1)])
    await app.rollUp(DAY)
    expect([await counts(app), await counts(app)]).toEqual([[['a', 1]], [['a', 1]]])
    await app.land([visitors('a', 2, '2025-06-01T13:00:00Z')])
    expect(await counts(app)).toEqual([['a', 1]])
    await app.rollUp(DAY)
    expect([await counts(app), await counts(app)]).toEqual([[['a', 3]], [['a', 3]]])
  })

  test('is new when somebody else has changed the registry', async () => {
    const app = await appFixture()
    await app.land([visitors('a', 1)])
    await app.rollUp(DAY)
    expect(await counts(app)).toEqual([['a', 1]])
    const other = openSqliteStore({ location: app.service.config.store, rejectsKept: 1 })
    await other.registry.put('b', { placements: [] }, Date.now())
    await other.close()
    expect(await counts(app)).toEqual(
      'assertIds' in body
        ? [['a', 1]]
        : [
            ['a', 1],
            ['b', 0],
          ],
    )
  })
})

test('a summary tells of a placement as soon as it is in force, though nothing was stored since', async () => {
  let now = Date.parse('2025-06-01T20:00:00Z')
  const app = await appFixture({}, { now: () => now })
  await app.land([visitors('a', 1)])
  await app.rollUp(DAY)
  const placement = { at: now + 60_000, seq: -1, lat: 525_000_000, lon: 134_000_000, zone: '', address: 'new' }
  const other = openSqliteStore({ location: app.service.config.store, rejectsKept: 1 })
  await other.registry.put('a', { placements: [placement] }, now)
  await other.close()
  const addresses = async (ids?: string[]): Promise<unknown> => {
    const body = { startDay: DAY, endDay: DAY, ...(ids === undefined ? {} : { assertIds: ids }) }
    return JSON.parse((await app.post(SUMMARY, body)).body).data.deviceStatusList[0].address
  }
  expect([await addresses(), await addresses(['a'])]).toEqual([null, null])
  now += 59_999
  expect([await addresses(), await addresses(['a'])]).toEqual([null, null])
  now += 1
  expect([await addresses(), await addresses(['a'])]).toEqual(['new', 'new'])
})
