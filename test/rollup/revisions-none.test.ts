import { describe, expect, test } from 'vitest'
import { adoptRules } from '../../src/rollup/rules.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { at, causesOf, fix, LATER, placed } from './revision-fixture.ts'
import { figuresOf, HOUR_MS, land, NOW, power, rollUp, SETTINGS, visitor } from './shard-fixture.ts'

describe('no revision is left', () => {
  const routine = ['09', '10', '11'].flatMap((day) => [power(`05-${day}T06:00`, true), visitor(`05-${day}T12:00`, 1)])

  /** So many that one is of the first one's shard. */
  const others = Array.from({ length: 20 }, (_, number) => ({ ...visitor('05-10T13:00', 5), deviceId: `b${number}` }))

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['by a late repeat', (store) => land(store, ...routine)],
    [
      'by a late event that changes no figure',
      (store) => land(store, power('05-10T12:00', true), visitor('05-10T13:00', 0)),
    ],
    ['by a first placement without fixes', (store) => land(store, placed('05-10T00:00', 60))],
    ['by a rollup by hand', (store) => rollUp(store, { days: { from: 0, to: 100_000 } })],
    ['by a refresh', (store) => rollUp(store, { now: LATER, refresh: true })],
    ['by rules under which the figures are the same', (store) => adoptAnew(store)],
    ['by a clock set back while nothing had been ahead', (store) => rollUp(store, { now: at('05-20T00:00') })],
    ['by events of other devices', (store) => land(store, ...others)],
  ])('%s', async (_, change) => {
    const store = temporaryStore()
    await adoptRules(store, SETTINGS, NOW)
    await land(store, ...routine)
    await rollUp(store)
    await change(store)
    await rollUp(store, {}, await adopted(store))
    expect(await causesOf(store)).toEqual({})
    expect([await store.due.segments(0), await store.due.devices(0)]).toEqual([[], []])
  })

  const DAYTIME = { ...SETTINGS, daytime: { startMinute: 360, endMinute: 1080 }, defaultZone: 'Etc/UTC' }
  const adoptAnew = (store: Store) => adoptRules(store, DAYTIME, NOW)
  const adopted = async ({ rollups }: Store) => ((await rollups.rules())?.includes('Etc/UTC') ? DAYTIME : SETTINGS)

  test('by the first rollup, in however many passes', async () => {
    const store = temporaryStore()
    await land(store, ...['04-01', '04-15', '05-01', '05-20'].flatMap((day) => [power(`${day}T12:00`, true)]))
    expect((await rollUp(store)).passes).toBeGreaterThan(2)
    expect(await causesOf(store)).toEqual({})
  })

  test('by a provisional day that changes, nor by its close', async () => {
    const store = temporaryStore()
    await land(store, power('05-10T06:00', true), visitor('05-10T09:00', 1))
    await rollUp(store, { now: at('05-10T10:00') })
    await land(store, visitor('05-10T09:30', 5), fix('05-10T11:00', 1))
    await rollUp(store, { now: at('05-10T12:00'), refresh: true })
    await land(store, power('05-10T11:00', false))
    for (const now of ['05-10T13:00', '05-11T00:00', '05-12T00:00', '05-13T00:00'])
      await rollUp(store, { now: at(now) })
    expect(await causesOf(store)).toEqual({})
    expect(await figuresOf(store, 'onMs')).toMatchObject({ 20240510: 5 * HOUR_MS })
  })
})
