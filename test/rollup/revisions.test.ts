import { describe, expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import { sameFigures } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { at, causesOf, fix, LATER, placed, revisionsOn, rolledUp } from './revision-fixture.ts'
import { event, figuresOf, HOUR_MS, land, NOW, power, rollUp, SETTINGS, storedDays, visitor } from './shard-fixture.ts'

const put = ({ registry }: Store, lat: number, zone = 'UTC') => {
  const placement = { at: at('01-01T00:00'), seq: NO_SEQ, lat: lat * 1e7, lon: 1e8, zone, address: null }
  return registry.put('a', { placements: [placement] }, NOW)
}

describe('a settled day that changes keeps what it was, when it changed, and why', () => {
  const changed = async (store: Store, date: number, change: () => Promise<unknown>): Promise<readonly string[]> => {
    const old = (await storedDays(store)).get(date)
    await change()
    const revisions = await revisionsOn(store, date)
    expect(revisions).toEqual([
      {
        device: 0,
        day: parseDay(date),
        number: 1,
        isErased: false,
        revisedAt: LATER,
        causes: revisions[0]?.causes,
        old,
      },
    ])
    const now = (await storedDays(store)).get(date) ?? null
    expect(sameFigures(revisions[0].old, now)).toBe(false)
    return revisions[0].causes
  }

  test('by late events', async () => {
    const store = await rolledUp(visitor('05-10T12:00', 1))
    const causes = changed(store, 20240510, async () => {
      await land(store, visitor('05-10T13:00', 2))
      await rollUp(store, { now: LATER })
    })
    expect(await causes).toEqual(['late-events'])
    expect(await figuresOf(store, 'visitors')).toEqual({ 20240510: 3 })
  })

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['a placement that lands', (store) => land(store, placed('05-10T00:00', 60))],
    ['placements of the registry', (store) => put(store, 60)],
    ['the removal of all placements', (store) => store.registry.put('a', { placements: [] }, NOW)],
  ])('by %s', async (_, change) => {
    const store = await rolledUp(placed('01-01T00:00', 55), fix('05-10T12:00', 50))
    const causes = changed(store, 20240510, async () => {
      await change(store)
      await rollUp(store, { now: LATER })
    })
    expect(await causes).toEqual(['placement'])
  })

  test('by an earlier fix that stands in for a placement', async () => {
    const store = await rolledUp(fix('05-10T12:00', 50), fix('05-11T12:00', 50))
    const causes = changed(store, 20240511, async () => {
      await land(store, fix('05-09T12:00', 51))
      await rollUp(store, { now: LATER })
    })
    expect(await causes).toEqual(['late-events'])
    expect(await causesOf(store)).toEqual({ 20240510: ['late-events'], 20240511: ['late-events'] })
  })

  test('by other rules', async () => {
    const store = await rolledUp(power('05-10T00:00', true), visitor('05-10T23:59', 1))
    await adoptRules(store, SETTINGS, NOW)
    const settings = { ...SETTINGS, silenceLimitMs: HOUR_MS }
    const causes = changed(store, 20240510, async () => {
      expect(await adoptRules(store, settings, NOW)).toBe('all')
      await rollUp(store, { now: LATER }, settings)
    })
    expect(await causes).toEqual(['rules-version'])
  })

  test('by a clock that was ahead', async () => {
    const store = temporaryStore()
    await land(store, power('06-01T00:30', true))
    await rollUp(store, { now: LATER + 72 * HOUR_MS })
    const causes = changed(store, 20240601, () => rollUp(store, { now: LATER }))
    expect(await causes).toEqual(['clock'])
    expect(await figuresOf(store, 'onMs')).toMatchObject({ 20240601: HOUR_MS / 2 })
  })

  test('by several at once', async () => {
    const store = await rolledUp(placed('01-01T00:00', 55), fix('05-10T12:00', 50))
    const causes = changed(store, 20240510, async () => {
      await land(store, placed('05-10T00:00', 60), visitor('05-10T13:00', 2))
      await rollUp(store, { now: LATER, days: { from: 0, to: 100_000 } })
    })
    expect(await causes).toEqual(['late-events', 'manual', 'placement'])
  })

  test('also where it has no rollup any more, and where it had none and gets one', async () => {
    const store = await rolledUp(visitor('05-10T23:00', 1), visitor('05-20T12:00', 1))
    const old = (await storedDays(store)).get(20240510)
    await put(store, 50, 'Pacific/Auckland')
    await rollUp(store, { now: LATER })
    expect(await figuresOf(store, 'visitors')).toEqual({ 20240511: 1, 20240521: 1 })
    expect(await revisionsOn(store, 20240510)).toMatchObject([{ number: 1, causes: ['placement'], old }])
    expect(await revisionsOn(store, 20240511)).toMatchObject([{ number: 1, causes: ['placement'], old: null }])
  })

  test('each time anew, earliest first', async () => {
    const store = await rolledUp(visitor('05-10T12:00', 1))
    for (let round = 1; round <= 3; round++) {
      await land(store, visitor(`05-10T1${round}:00`, 10 ** round))
      await rollUp(store, { now: NOW + round })
    }
    const revisions = await revisionsOn(store, 20240510)
    expect(revisions.map(({ number, revisedAt, old }) => [number, revisedAt - NOW, old?.visitors])).toEqual([
      [1, 1, 1],
      [2, 2, 11],
      [3, 3, 111],
    ])
  })

  test('also where it changes back', async () => {
    const store = await rolledUp(placed('01-01T00:00', 55), fix('05-10T12:00', 50))
    for (const lat of [60, 55]) {
      await put(store, lat)
      await rollUp(store)
    }
    const [first, second] = await revisionsOn(store, 20240510)
    expect(sameFigures(first.old, (await storedDays(store)).get(20240510) ?? null)).toBe(true)
    expect(sameFigures(first.old, second.old)).toBe(false)
  })

  test('once, where two rollups find it at once', async () => {
    const store = await rolledUp(visitor('05-10T12:00', 1))
    await land(store, visitor('05-10T13:00', 2))
    const commit = store.rollups.commit.bind(store.rollups)
    store.rollups.commit = async (one) => {
      store.rollups.commit = commit
      await rollUp(store)
      return commit(one)
    }
    await rollUp(store)
    expect(await causesOf(store)).toEqual({ 20240510: ['late-events'] })
  })
})

describe('a settled day without data', () => {
  test('that gets its first late event had nothing before', async () => {
    const store = await rolledUp(visitor('05-09T12:00', 1), visitor('05-12T12:00', 1))
    await land(store, visitor('05-10T12:00', 1))
    await rollUp(store)
    expect(await causesOf(store)).toEqual({ 20240510: ['late-events'] })
    expect((await revisionsOn(store, 20240510))[0].old).toBe(null)
  })

  test('of before the device was first heard was none', async () => {
    const store = await rolledUp(visitor('05-09T12:00', 1))
    await land(store, visitor('05-08T23:59', 1), visitor('05-01T12:00', 1), {
      ...visitor('05-02T12:00', 1),
      deviceId: 'b',
    })
    await rollUp(store)
    expect(await causesOf(store)).toEqual({})
  })

  test('that had not closed by the last rollup was none', async () => {
    const store = await rolledUp(visitor('05-09T12:00', 1))
    await land(store, visitor('06-01T00:00', 1), visitor('05-31T23:00', 1))
    await rollUp(store, { now: LATER })
    expect(await causesOf(store)).toEqual({ 20240531: ['late-events'] })
  })
})

describe('a change of carried state', () => {
  const days = Array.from({ length: 28 }, (_, index) => `05-${String(index + 1).padStart(2, '0')}`)
  const onFrom = (from: number, to: number): Record<number, string[]> =>
    Object.fromEntries(days.slice(from - 1, to).map((_, index) => [20240500 + from + index, ['late-events']]))

  test('revises the settled days that follow, and stops where nothing changes', async () => {
    const store = await rolledUp(...days.map((day) => power(`${day}T06:00`, true)))
    await land(store, power('05-11T20:00', false))
    await rollUp(store)
    expect(await causesOf(store)).toEqual(onFrom(11, 12))
  })

  test('revises each of them once, however many passes that takes', async () => {
    const store = await rolledUp(power('05-01T06:00', true), ...days.map((day) => visitor(`${day}T12:00`, 1)))
    await land(store, power('05-02T12:00', false), power('05-27T12:00', true))
    const { passes } = await rollUp(store)
    expect(passes).toBeGreaterThan(2)
    expect(await causesOf(store)).toEqual(onFrom(2, 27))
  })

  test('of which a following day tells nobody leaves it without a revision', async () => {
    const store = await rolledUp(...days.map((day) => event(`${day}T12:00`, { type: 'door', open: true })))
    await land(store, event('05-02T13:00', { type: 'door', open: false }))
    await rollUp(store)
    expect(await causesOf(store)).toEqual(onFrom(2, 2))
  })

  test('revises days on which nothing is heard, as far as it lasts', async () => {
    const store = await rolledUp(power('05-10T12:00', true), visitor('05-20T12:00', 1))
    await land(store, power('05-10T18:00', false))
    await rollUp(store)
    expect(await causesOf(store)).toMatchObject(onFrom(10, 12))
    expect(await revisionsOn(store, 20240513)).toEqual([])
  })
})
