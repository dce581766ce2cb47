import { describe, expect, test } from 'vitest'
import { RUNTIME_ZONES, type ZoneData } from '../../src/base/zone-clock.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import { adoptRules, noteZoneClocks, requireRules } from '../../src/rollup/rules.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { adoptOthers, land, NOW, SETTINGS } from './shard-fixture.ts'

const placed = (deviceId: string, timezone?: string): object[] => [
  { deviceId, at: '2024-05-01T00:00:00Z', type: 'placement', lat: 1, lon: 1, timezone },
  { deviceId, at: '2024-05-10T00:00:00Z', type: 'visitor', count: 1 },
]

/** Time zone data of a release to come, in which these zones have other clocks. */
const newer = (...zones: string[]): ZoneData => ({
  version: '2099a',
  fingerprintOf: (zone) => RUNTIME_ZONES.fingerprintOf(zone) + (zones.includes(zone) ? 1 : 0),
})

/** The ids of the devices that are due, and why. */
async function due({ due, archive, registry }: Store): Promise<string[]> {
  const entries = (await Promise.all([...Array(archive.shards).keys()].map((shard) => due.devices(shard)))).flat()
  const ids = await registry.ids(entries.map(({ device }) => device))
  return entries.map(({ device, causes }) => `${ids.get(device)} ${causes}`).sort()
}

async function filled(): Promise<Store> {
  const store = temporaryStore()
  await adoptRules(store, SETTINGS, NOW)
  const zones = ['Europe/Berlin', 'asia/tokyo', undefined]
  await land(store, ...zones.flatMap((zone) => placed(zone ?? 'default', zone)), placed('unplaced')[1])
  for (const shard of await store.due.shards()) await rollUpShard(store, shard, SETTINGS, { now: NOW })
  await noteZoneClocks(store, SETTINGS)
  expect(await due(store)).toEqual([])
  return store
}

describe('newer time zone data makes due', () => {
  test.each<[string, string[], string[]]>([
    ['nothing where no zone in use has changed', ['America/Lima'], []],
    ['the devices of a zone that it changed', ['Asia/Tokyo'], ['asia/tokyo']],
    [
      'those without a zone and those without a placement, where the default zone changed',
      ['UTC'],
      ['default', 'unplaced'],
    ],
    ['all of several', ['UTC', 'Europe/Berlin'], ['Europe/Berlin', 'default', 'unplaced']],
  ])('%s', async (_, zones, ids) => {
    const store = await filled()
    await adoptRules(store, SETTINGS, NOW, newer(...zones))
    expect(await due(store)).toEqual(ids.map((id) => `${id} rules-version`))
    await expect(requireRules(store.rollups, SETTINGS, newer())).resolves.toBeUndefined()
    expect(await adoptRules(store, SETTINGS, NOW, newer(...zones))).toBe('nothing')
  })

  test('a zone whose clock nobody has recorded', async () => {
    const store = await filled()
    await land(store, ...placed('late', 'Africa/Cairo'))
    await adoptRules(store, SETTINGS, NOW, newer())
    expect(await due(store)).toEqual(['late rules-version'])
  })
})

describe('a process with older time zone data than the store', () => {
  test('lands, but neither rolls up nor takes the rules back', async () => {
    const store = await filled()
    await adoptRules(store, SETTINGS, NOW, newer())
    await land(store, ...placed('new'))
    const [shard] = await store.due.shards()
    for (const work of [
      () => rollUpShard(store, shard, SETTINGS, { now: NOW }),
      () => requireRules(store.rollups, SETTINGS),
      () => adoptRules(store, SETTINGS, NOW),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'other-rules', message: expect.stringMatching(/2099a/) })
    await noteZoneClocks(store, SETTINGS)
    expect((await store.due.counts(NOW)).dueSegments).toBe(1)
  })
})

test('rules that nobody can read are those of others: all days are due', async () => {
  const store = await filled()
  await adoptOthers(store)
  await expect(requireRules(store.rollups, SETTINGS)).rejects.toMatchObject({ code: 'other-rules' })
  expect(await adoptRules(store, SETTINGS, NOW)).toBe('all')
})
