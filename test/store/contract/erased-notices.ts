import { expect, test } from 'vitest'
import { eraseAll, eraseSteps } from '../../../src/erase/erase.ts'
import { newImport } from '../../../src/event/import-note.ts'
import { Landing } from '../../../src/ingest/landing.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { rollUpAll } from '../../helpers/run-history.ts'
import { SETTINGS } from '../../rollup/shard-fixture.ts'
import { LANDED_AT, MIDNIGHT, UTC_DAY } from '../landing-fixture.ts'
import { lookAt, NOW, noticeOf, put } from '../notice-fixture.ts'
import type { Engine } from '../test-store.ts'

const IMPORT = newImport(['a.csv'], NOW)

const land = (store: Store, deviceId: string, more: object, ofImport: object = {}) =>
  new Landing(store.landing, { now: () => LANDED_AT, purgedBefore: () => 0, ...ofImport }).land({
    events: [{ deviceId, at: MIDNIGHT, ...more }],
  })

const told = async ({ notices }: Store, shard: number): Promise<unknown[]> =>
  (await notices.told(shard, 0, UTC_DAY)).map(({ bits }) => [...bits].sort())

/** Erasures leave nothing of erased devices in what is to be told. */
export function erasedNoticesContract({ open }: Engine): void {
  test('of a device that is removed with its import nothing stays', async () => {
    const store = await open()
    const { notices, archive } = store
    await put(notices, 'one')
    await land(store, 'removed', { type: 'visitor', count: 1 }, { import: IMPORT })
    const number = (await store.registry.device('removed'))?.number as number
    expect(number).toBe(0)
    const other = archive.shards
    const bits = new Map([
      [number, 3],
      [other, 1],
    ])
    const found = [noticeOf(number), noticeOf(other)]
    await notices.note(await lookAt(store, { told: [{ day: UTC_DAY, subscription: 'one', bits }], notices: found }))
    const look = await lookAt(store, { notices: [noticeOf(number)] })
    await eraseAll(eraseSteps(store), { import: IMPORT.id }, { now: NOW })
    expect(await store.registry.device('removed')).toBeNull()
    expect((await notices.noticesOn(0, UTC_DAY)).map(({ device }) => device)).toEqual([other])
    expect(await told(store, 0)).toEqual([[[other, 1]]])
    expect(await notices.note({ ...look, version: await store.rollups.version(0) })).toBe(false)
  })

  test.each(['visitor', 'placement'] as const)(
    'notices are found anew when events of type %s are erased',
    async (type) => {
      const store = await open()
      const { notices } = store
      await put(notices, 'one')
      await land(store, 'a', type === 'visitor' ? { type, count: 1 } : { type, lat: 1, lon: 2, address: 'Geheimgasse' })
      await rollUpAll(store, SETTINGS, NOW, true)
      const days = await notices.dueDays(0)
      const body = JSON.stringify({ address: 'Geheimgasse' })
      const bits = new Map([[0, 3]])
      const found = [noticeOf(0, { before: 2, body })]
      await notices.note(
        await lookAt(store, { days, told: [{ day: UTC_DAY, subscription: 'one', bits }], notices: found }),
      )
      const look = await lookAt(store, { notices: found })
      const all = { device: 'a', fromAt: 0, toAt: NOW, type }
      await eraseAll(eraseSteps(store), all, { now: NOW, dryRun: true })
      expect(await notices.noticesOn(0, UTC_DAY)).toHaveLength(1)
      await eraseAll(eraseSteps(store), all, { now: NOW })
      expect(await notices.noticesOn(0, UTC_DAY)).toEqual([])
      expect(await told(store, 0)).toEqual([[[0, 2]]])
      expect(await notices.dueDays(0)).toEqual([UTC_DAY])
      expect(await notices.note({ ...look, version: await store.rollups.version(0) })).toBe(false)
    },
  )
}
