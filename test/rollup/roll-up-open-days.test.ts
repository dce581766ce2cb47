import { describe, expect, test } from 'vitest'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { figuresOf, HOUR_MS, land, onHours, power, rollUp, storedDays } from './shard-fixture.ts'

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
