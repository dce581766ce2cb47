import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, figuresOf, HOUR_MS, land, NOW, onHours, power, rollUp, visitor, watchCommits } from './shard-fixture.ts'

const DAYS = ['09', '10', '11', '12', '13', '14']

describe('a late event computes again', () => {
  /** On at six each day, and a count and a total of visitors. */
  const routine = DAYS.flatMap((day, index) => [
    power(`05-${day}T06:00`, true),
    visitor(`05-${day}T12:00`, 1),
    event(`05-${day}T18:00`, { type: 'visitor', total: 100 * index }),
  ])

  async function lateInto(...events: readonly object[]) {
    const store = temporaryStore()
    await land(store, ...routine)
    await rollUp(store)
    const dates = watchCommits(store)
    await land(store, ...events)
    await rollUp(store)
    return { store, dates }
  }

  test('its own day alone, where nothing is carried on', async () => {
    const { store, dates } = await lateInto(visitor('05-11T13:00', 50))
    expect(dates).toEqual([[20240511]])
    expect((await figuresOf(store, 'visitors'))[20240511]).toBe(151)
  })

  test('its own day alone, where it is a repeat', async () => {
    const { store, dates } = await lateInto(visitor('05-11T12:00', 1))
    expect(dates).toEqual([[20240511]])
    expect((await figuresOf(store, 'repeats'))[20240511]).toBe(1)
  })

  test('the following days until the carried state comes out unchanged', async () => {
    const { store, dates } = await lateInto(power('05-11T20:00', false))
    expect(dates).toEqual([[20240511, 20240512]])
    expect(await onHours(store)).toMatchObject({ 20240510: 24, 20240511: 20, 20240512: 18, 20240513: 24 })
  })

  test('the day that takes up its total', async () => {
    const { store, dates } = await lateInto(event('05-11T19:00', { type: 'visitor', total: 250 }))
    expect(dates).toEqual([[20240511, 20240512]])
    expect(await figuresOf(store, 'visitors')).toMatchObject({ 20240511: 151, 20240512: 51, 20240513: 101 })
  })

  test('each of its days where there are several, and none between', async () => {
    const { dates } = await lateInto(visitor('05-10T13:00', 1), visitor('05-13T13:00', 1))
    expect(dates.flat()).toEqual([20240510, 20240513])
  })

  test('the next day with an event, however long the silence between', async () => {
    const store = temporaryStore()
    await land(store, power('02-01T12:00', true), visitor('05-10T12:00', 1))
    await rollUp(store)
    expect(await onHours(store)).toMatchObject({ 20240510: 12, 20240511: 24, 20240512: 12 })
    const dates = watchCommits(store)
    await land(store, power('03-01T12:00', false))
    await rollUp(store)
    expect(await onHours(store)).toMatchObject({ 20240201: 12, 20240301: 0, 20240510: 0, 20240511: 0, 20240512: 0 })
    expect(dates.flat().sort()).toEqual([20240301, 20240302, 20240303, 20240510, 20240511, 20240512])
  })

  test('nothing of other devices', async () => {
    const { store } = await lateInto(
      ...Array.from({ length: 20 }, (_, n) => ({ ...visitor('05-11T13:00', 1), deviceId: `${n}` })),
    )
    expect(await store.rollups.version(0)).toBe(2)
    expect((await figuresOf(store, 'visitors'))[20240511]).toBe(101)
  })
})

describe('where a device has no placement', () => {
  const fix = (at: string, lat: number): object => event(at, { type: 'gps', lat, lon: 10 })
  const fixes = ['05-10T12:00', '05-11T12:00', '05-25T12:00'].map((at) => fix(at, 50))
  const kilometres = async (store: Store) =>
    Object.fromEntries(
      Object.entries(await figuresOf(store, 'distanceSumMm')).map(([day, mm]) => [day, Math.round(mm / 1e6)]),
    )

  test('an earlier fix that lands late moves all its days', async () => {
    const store = temporaryStore()
    await land(store, ...fixes)
    await rollUp(store)
    expect(await kilometres(store)).toEqual({ 20240510: 0, 20240511: 0, 20240525: 0 })
    await land(store, fix('05-02T12:00', 51))
    await rollUp(store)
    expect(await kilometres(store)).toEqual({ 20240502: 0, 20240510: 111, 20240511: 111, 20240525: 111 })
  })

  test('a fix that lands late, but is not the earliest, moves its own day alone', async () => {
    const store = temporaryStore()
    await land(store, ...fixes)
    await rollUp(store)
    const dates = watchCommits(store)
    await land(store, fix('05-11T11:00', 51))
    await rollUp(store)
    expect(dates.flat()).toEqual([20240511])
    expect(await kilometres(store)).toMatchObject({ 20240511: 111 })
  })

  test('a placement that lands moves all its days, and its removal moves them back', async () => {
    const store = temporaryStore()
    await land(store, ...fixes)
    await rollUp(store)
    await land(store, event('05-20T00:00', { type: 'placement', lat: 52, lon: 10 }))
    await rollUp(store)
    expect(await kilometres(store)).toEqual({ 20240510: 222, 20240511: 222, 20240525: 222 })
    await store.registry.put('a', { placements: [] }, NOW)
    await rollUp(store)
    expect(await kilometres(store)).toEqual({ 20240510: 0, 20240511: 0, 20240525: 0 })
  })
})

test('a silence that ends within its limit counts, however late the event that ends it lands', async () => {
  const store = temporaryStore()
  await land(store, power('05-01T00:00', true))
  await rollUp(store)
  expect(await onHours(store)).toEqual({ 20240501: 24, 20240502: 24 })
  await land(store, visitor('05-02T12:00', 1))
  await rollUp(store)
  expect(await onHours(store)).toEqual({ 20240501: 24, 20240502: 24, 20240503: 24, 20240504: 12 })
  expect(await figuresOf(store, 'lengthMs')).toMatchObject({ 20240504: 24 * HOUR_MS })
})

describe('of copies of one fix that differ in their address', () => {
  const addressAfter = async (...addresses: readonly (string | null)[]) => {
    const store = temporaryStore()
    for (const address of addresses) {
      await land(store, event('05-10T12:00', { type: 'gps', lat: 1, lon: 1, address }))
      await rollUp(store)
    }
    return (await store.rollups.states([0])).get(0)?.lastFix?.address
  }

  test('the greatest by UTF-16 unit is kept, in whatever order they land', async () => {
    const [ice, tilde] = ['\u{1F9CA}', '\uFF5E']
    for (const order of [
      [null, ice, tilde],
      [tilde, null, ice],
      [ice, tilde, null],
    ])
      expect(await addressAfter(...order)).toBe(tilde)
  })

  test('an empty one is no address', async () => {
    expect([await addressAfter('', null), await addressAfter(null, '')]).toEqual([null, null])
    expect(await addressAfter('', 'Zoo')).toBe('Zoo')
  })
})
