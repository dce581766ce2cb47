import { describe, expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import {
  event,
  figuresOf,
  land,
  NOW,
  onHours,
  power,
  rollUp,
  SETTINGS,
  visitor,
  watchCommits,
} from './shard-fixture.ts'

describe('where a device was moved to another zone', () => {
  const placed = (at: string, timezone: string): object => event(at, { type: 'placement', lat: 1, lon: 1, timezone })
  const sinceNewYear = (zone: string): Placement => {
    return { at: Date.parse('2024-01-01T00:00:00Z'), seq: NO_SEQ, lat: 1e7, lon: 1e7, zone, address: null }
  }
  const counts = ['09', '10', '11', '12', '13', '14'].map((day, index) => visitor(`05-${day}T12:00`, 10 ** index))
  const visitorsOf = (store: Store): Promise<Record<number, number>> => figuresOf(store, 'visitors')

  async function movedTo(late: object, ...before: readonly object[]): Promise<Store> {
    const store = temporaryStore()
    await land(store, ...before)
    await rollUp(store)
    watchCommits(store)
    await land(store, late)
    await rollUp(store)
    return store
  }

  test('a date that no longer begins has no rollup any more', async () => {
    const store = await movedTo(
      placed('05-11T10:30', 'Pacific/Kiritimati'),
      placed('01-01T00:00', 'Pacific/Pago_Pago'),
      ...counts,
    )
    // The 10th, begun on 10T11:00Z in Pago Pago, runs on to 12T10:00Z, where the 13th begins.
    expect(await visitorsOf(store)).toEqual({
      20240509: 1,
      20240510: 110,
      20240513: 1000,
      20240514: 10_000,
      20240515: 100_000,
    })
  })

  test('just at midnight of the new zone, the day that ends there keeps its events', async () => {
    const store = await movedTo(
      placed('05-10T12:00', 'Pacific/Auckland'),
      placed('01-01T00:00', 'UTC'),
      visitor('05-10T03:00', 5),
    )
    expect(await visitorsOf(store)).toEqual({ 20240510: 5 })
  })

  // The 12th of Kiritimati begins within the 10th of Pago Pago, two dates ahead.
  test('from Kiritimati to Pago Pago from its first day on, the rollup ends', async () => {
    const store = temporaryStore()
    await land(store, placed('01-01T00:00', 'Pacific/Kiritimati'), visitor('05-11T10:30', 5))
    await rollUp(store)
    expect(await visitorsOf(store)).toEqual({ 20240512: 5 })
    watchCommits(store)
    await store.registry.put('a', { placements: [sinceNewYear('Pacific/Pago_Pago')] }, NOW)
    await rollUp(store)
    expect(await visitorsOf(store)).toEqual({ 20240510: 5 })
  })

  // The 9th of Kathmandu is the last day of a pass of eight; the 9th of UTC, whose place it takes, is beyond the pass.
  test('longer ago than one pass takes up, all its events still have a day', async () => {
    const store = await movedTo(
      placed('01-01T00:00', 'Asia/Kathmandu'),
      ...[visitor('05-01T12:00', 1), visitor('05-08T20:00', 2), visitor('05-09T20:00', 4)],
    )
    expect(await visitorsOf(store)).toEqual({ 20240501: 1, 20240509: 2, 20240510: 4 })
  })

  // The stored 9th begins just where the new 9th ends.
  test('by a whole day, longer ago than one pass takes up, all its events still have a day', async () => {
    const store = temporaryStore()
    const counted = [visitor('05-01T00:00', 1), visitor('05-08T12:00', 4), visitor('05-09T12:00', 8)]
    await land(store, placed('01-01T00:00', 'Etc/GMT+12'), ...counted)
    await rollUp(store)
    await store.registry.put('a', { placements: [sinceNewYear('Pacific/Auckland')] }, NOW)
    await rollUp(store)
    expect(await visitorsOf(store)).toEqual({ 20240501: 1, 20240509: 4, 20240510: 8 })
  })

  test('eastwards while it is on, the day of its last event is there', async () => {
    const store = temporaryStore()
    await land(store, placed('05-06T00:00', 'Etc/GMT+12'), power('05-06T00:00', true), power('05-20T12:00', true))
    await rollUp(store)
    watchCommits(store)
    await land(store, placed('05-13T01:00', 'Pacific/Kiritimati'), power('05-01T00:00', true))
    await rollUp(store)
    expect(await figuresOf(store, 'events')).toMatchObject({ 20240521: 1 })
  })

  // An open day whose date begins elsewhere now must not stay open: it would be due for ever.
  test('by another default zone, the rollup ends', async () => {
    const store = temporaryStore()
    await land(store, power('05-08T10:30', true))
    await rollUp(store, { now: Date.parse('2024-05-10T00:30:00Z') })
    watchCommits(store)
    await rollUp(store, { now: Date.parse('2024-05-11T12:00:00Z') }, { ...SETTINGS, defaultZone: 'America/New_York' })
    expect((await onHours(store))[20240509]).toBe(24)
  })
})
