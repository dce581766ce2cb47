import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { utcDayOf } from '../../src/base/time.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { decodeBlock, emptyBlock, encodeBlock } from '../../src/store/codec/block-codec.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { verified } from '../verify/verify-fixture.ts'
import {
  event,
  figuresOf,
  HOUR_MS,
  land,
  NOW,
  onHours,
  power,
  rollUp,
  SETTINGS,
  storedDays,
  visitor,
} from './shard-fixture.ts'

describe('a day that is not over', () => {
  const at = (instant: string): number => Date.parse(`2024-05-${instant}:00Z`)

  test('counts up to the rollup, is counted on by a refresh alone, and is closed once it is over', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true))
    await rollUp(store, { now: at('10T10:00') })
    expect((await storedDays(store)).get(20240510)).toMatchObject({
      onMs: 4 * HOUR_MS,
      onDaytimeMs: 4 * HOUR_MS,
      passedMs: 10 * HOUR_MS,
      lengthMs: 24 * HOUR_MS,
    })
    expect((await rollUp(store, { now: at('10T12:00') })).passes).toBe(0)
    await rollUp(store, { now: at('10T12:00'), refresh: true })
    expect(await onHours(store)).toEqual({ 20240510: 6 })
    expect((await rollUp(store, { now: at('10T23:59') })).passes).toBe(0)
    await rollUp(store, { now: at('11T00:30') })
    expect(await onHours(store)).toEqual({ 20240510: 18, 20240511: 0.5 })
    expect((await rollUp(store, { now: at('11T12:00') })).passes).toBe(0)
  })

  test('is closed by a rollup of the very instant of its end, which opens the next one', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true))
    await rollUp(store, { now: at('10T10:00') })
    await rollUp(store, { now: at('11T00:00') })
    expect(await figuresOf(store, 'passedMs')).toEqual({ 20240510: 24 * HOUR_MS, 20240511: 0 })
    expect(await onHours(store)).toEqual({ 20240510: 18, 20240511: 0 })
  })

  test('of tomorrow has its events and no time yet', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true), power('05-11T06:00', false))
    await rollUp(store, { now: at('10T10:00') })
    expect(await onHours(store)).toEqual({ 20240510: 4, 20240511: 0 })
    expect(await figuresOf(store, 'events')).toEqual({ 20240510: 1, 20240511: 1 })
    await rollUp(store, { now: at('12T00:00') })
    expect(await onHours(store)).toEqual({ 20240510: 18, 20240511: 6, 20240512: 0 })
  })
})

describe('silent days of a device that is on', () => {
  const expected = { 20240510: 12, 20240511: 24, 20240512: 12 }

  test('are stored until the silence limit, in one rollup', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T12:00', true))
    await rollUp(store)
    expect(await onHours(store)).toEqual(expected)
  })

  test('are stored until the silence limit, in rollups of each night, and no row is left open', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T12:00', true))
    for (let day = 11; day < 20; day++) await rollUp(store, { now: Date.parse(`2024-05-${day}T00:20:00Z`) })
    expect(await onHours(store)).toEqual(expected)
    expect(await store.rollups.openShards(Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('end with the day in which the limit is reached just at its end', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T00:00', true))
    await rollUp(store)
    expect(await onHours(store)).toEqual({ 20240510: 24, 20240511: 24 })
  })
})

describe('a refresh of a day', () => {
  const at = (instant: string): number => Date.parse(`2024-05-10T${instant}:00Z`)
  const refreshed = async (store: Parameters<typeof rollUp>[0], instant: string): Promise<number> =>
    (await rollUp(store, { now: at(instant), refresh: true })).events

  async function opened() {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true), visitor('05-10T07:00', 3), visitor('05-10T08:00', 4))
    expect(await refreshed(store, '09:00')).toBe(3)
    return store
  }

  test('reads only events that are new, and none if there are none', async () => {
    const store = await opened()
    await land(store, visitor('05-10T10:00', 5))
    expect(await refreshed(store, '11:00')).toBe(1)
    expect(await refreshed(store, '12:00')).toBe(0)
    expect((await storedDays(store)).get(20240510)).toMatchObject({ events: 4, visitors: 12, onMs: 6 * HOUR_MS })
  })

  test('reads no events again to settle the day, and then keeps nothing to go on from', async () => {
    const store = await opened()
    await land(store, event('05-10T20:00', { type: 'gps', lat: 1, lon: 2 }))
    await refreshed(store, '21:00')
    expect((await storedDays(store)).get(20240510)).toMatchObject({ lastFixMs: 20 * HOUR_MS, lastFixLat: 1e7 })
    expect((await rollUp(store, { now: at('24:00') + HOUR_MS })).events).toBe(0)
    expect((await storedDays(store)).get(20240510)).toMatchObject({ events: 4, visitors: 7, onMs: 18 * HOUR_MS })
    expect((await storedDays(store)).get(20240510)).toMatchObject({ lastFixMs: -1, lastFixLat: 0 })
  })

  test.each([
    ['before the last one', '07:30'],
    ['at the instant of the last one', '08:00'],
  ])('reads all events again if one happened %s', async (_, instant) => {
    const store = await opened()
    await land(store, visitor(`05-10T${instant}`, 9))
    expect(await refreshed(store, '10:00')).toBe(4)
    expect((await storedDays(store)).get(20240510)).toMatchObject({ events: 4, visitors: 16 })
  })

  test('reads all events again if it is asked for, or if the device was moved', async () => {
    const store = await opened()
    const days = { from: utcDayOf(at('00:00')), to: utcDayOf(at('00:00')) }
    expect((await rollUp(store, { now: at('10:00'), days })).events).toBe(3)
    const placement = { at: at('05:00'), seq: NO_SEQ, lat: 0, lon: 0, zone: 'UTC', address: null }
    await store.registry.put('a', { placements: [placement] }, NOW)
    expect(await refreshed(store, '11:00')).toBe(3)
  })

  test('of a day that an earlier version has rolled up, without its last fixes, reads all events again', async () => {
    const store = await opened()
    await land(store, event('05-10T09:30', { type: 'gps', lat: 1, lon: 2 }))
    await refreshed(store, '10:00')
    const database = new Database(store.file)
    const { body } = database.prepare('SELECT body FROM rollup_block').get() as { body: Buffer }
    const [day] = decodeBlock(body, [0, 0, utcDayOf(at('00:00'))]) as DeviceDay[]
    const older = { ...day, lastFixMs: -1, lastFixLat: 0, lastFixLon: 0, lastFixMm: 0 }
    const block = [older, ...emptyBlock().slice(1)]
    database.prepare('UPDATE rollup_block SET body = ?').run(encodeBlock(block, [0, 0, utcDayOf(at('00:00'))]))
    database.close()
    expect((await verified(store, SETTINGS, { now: at('10:00') })).differences).toEqual([])
    expect(await refreshed(store, '11:00')).toBe(4)
    expect(await refreshed(store, '12:00')).toBe(0)
  })
})

test('a device that is to move tomorrow has no rollup of tomorrow yet', async () => {
  const store = temporaryStore()
  const now = Date.parse('2024-05-10T20:00:00Z')
  await land(store, power('05-10T12:00', true))
  const move = { at: now + 12 * HOUR_MS, seq: NO_SEQ, lat: 0, lon: 0, zone: 'Asia/Tokyo', address: null }
  await store.registry.put('a', { placements: [{ ...move, at: 0, zone: 'UTC' }, move] }, NOW)
  await rollUp(store, { now })
  expect([...(await storedDays(store)).keys()]).toEqual([20240510])
})

test('an open day that a move shortens is followed by no day that has not begun', async () => {
  const store = temporaryStore()
  const now = Date.parse('2024-05-10T20:00:00Z')
  const placed = { at: 0, seq: NO_SEQ, lat: 0, lon: 0, zone: 'America/New_York', address: null }
  await store.registry.put('a', { placements: [placed] }, NOW)
  await land(store, power('05-10T12:00', true))
  await rollUp(store, { now })
  await store.registry.put('a', { placements: [placed, { ...placed, at: now - HOUR_MS, zone: 'UTC' }] }, NOW)
  await rollUp(store, { now })
  expect([...(await storedDays(store)).keys()]).toEqual([20240510])
})
