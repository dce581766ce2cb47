import { describe, expect, test } from 'vitest'
import { DAY, manyVisitors, visitors } from '../helpers/events.ts'
import { type AppFixture, appFixture, DAILY, expectError, SUMMARY } from './app-fixture.ts'
import { cooler } from './every-figure.ts'

const RANGE = { startDay: DAY, endDay: DAY }

const idsOf = async (answer: ReturnType<AppFixture['post']>): Promise<string[]> =>
  (await answer).json().data.deviceStatusList.map(({ assertId }: { assertId: string }) => assertId)

describe('assertIds', () => {
  test('must be an array of strings', async () => {
    const { post } = await appFixture()
    for (const assertIds of ['a', 7, {}, { length: 0 }, [7], ['a', null], [['a']], true]) {
      const message =
        /^assertIds must be an array of strings, or left out for all devices, not |^assertIds\[\d\] must be a string, not /
      expectError(await post(DAILY, { day: DAY, assertIds }), 'bad-request', message)
      expectError(await post(SUMMARY, { ...RANGE, assertIds }), 'bad-request', message)
    }
  })

  test('absent or null select all, an empty list none, unknown ones are left out, a repeated one counts once', async () => {
    const { land, post } = await appFixture()
    await land(['b', 'a', 'c'].map((id) => visitors(id, 1)))
    for (const [url, days] of [
      [DAILY, { day: DAY }],
      [SUMMARY, RANGE],
    ] as const) {
      expect(await idsOf(post(url, days))).toEqual(['a', 'b', 'c'])
      expect(await idsOf(post(url, { ...days, assertIds: null }))).toEqual(['a', 'b', 'c'])
      expect(await idsOf(post(url, { ...days, assertIds: [] }))).toEqual([])
      expect(await idsOf(post(url, { ...days, assertIds: ['c', 'x', 'a', 'c', ''] }))).toEqual(['a', 'c'])
    }
  })

  test('are compared as they are and answered in the order of UTF-16 units', async () => {
    const { land, post } = await appFixture()
    const ids = [
      '',
      ' ',
      '%',
      '.',
      '1',
      '01',
      '1.0',
      '1e0',
      '__proto__',
      'constructor',
      'A',
      'a',
      'é',
      'e\u0301',
      '\uFF5E',
      '😀',
      '\uD800',
    ]
    const known = ids.slice(1)
    await land(known.map((id) => visitors(id, 1)))
    const sorted = [...known].sort()
    expect(await idsOf(post(DAILY, { day: DAY }))).toEqual(sorted)
    expect(await idsOf(post(DAILY, { day: DAY, assertIds: ids }))).toEqual(sorted)
    for (const id of known) expect(await idsOf(post(SUMMARY, { ...RANGE, assertIds: [id] }))).toEqual([id])
  })

  test('40 000 in one request are answered in order, each once, and hold up no small request', async () => {
    const { land, post } = await appFixture()
    const events = manyVisitors(40_000)
    for (let start = 0; start < events.length; start += 10_000) await land(events.slice(start, start + 10_000))
    const ids = events.map(({ deviceId }) => deviceId)
    const order: string[] = []
    const large = post(DAILY, { day: DAY, assertIds: [...ids, ...ids, 'unknown'] }).finally(() => order.push('large'))
    const small = post(DAILY, { day: DAY, assertIds: ['cooler-1'] }).finally(() => order.push('small'))
    expect(await idsOf(small)).toEqual(['cooler-1'])
    expect(await idsOf(large)).toEqual(ids.toSorted())
    expect(order).toEqual(['small', 'large'])
  })

  test('many and few of them give the same entries', async () => {
    const { land, rollUp, post } = await appFixture()
    const ids = Array.from({ length: 300 }, (_, number) => `cooler-${number}`)
    await land(ids.flatMap(cooler))
    await rollUp(DAY)
    for (const [url, days] of [
      [DAILY, { day: DAY }],
      [SUMMARY, RANGE],
    ] as const) {
      const { deviceStatusList } = (await post(url, days)).json().data
      expect(deviceStatusList).toHaveLength(300)
      const some = (await post(url, { ...days, assertIds: ids.slice(0, 64) })).json().data.deviceStatusList
      for (const entry of some) expect(deviceStatusList).toContainEqual(entry)
    }
  })
})
