import { expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { withClient } from '../../helpers/postgres-database.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { land, NOW, rollUp, SETTINGS, visitor } from '../../rollup/shard-fixture.ts'
import { repaired, verified } from '../../verify/verify-fixture.ts'

test('a damaged block of states is found, written by nobody who knows only a part of it, and mended whole', async () => {
  const location = await temporaryDatabase()
  const store = await openPostgresStore({ location, rejectsKept: 10 }, 1)
  onTestFinished(() => store.close())
  const other = { ...visitor('05-10T12:00', 2), deviceId: 'b' }
  await land(store, visitor('05-10T12:00', 1), other)
  await rollUp(store)
  const states = await store.rollups.states([0, 1])
  await withClient(location, (client) => client.query('UPDATE state_block SET body = set_byte(body, 20, 255)'))
  await expect(store.rollups.states([0])).rejects.toMatchObject({ code: 'store-damaged' })
  const damaged: number[] = []
  expect(await store.rollups.states([0, 1], (device) => damaged.push(device))).toEqual(new Map())
  expect(damaged).toEqual([0, 1])
  const part = { ...NOTHING, version: await store.rollups.version(0), states: new Map([[0, null]]) }
  await expect(store.rollups.repair(part)).rejects.toMatchObject({ code: 'store-damaged' })
  await repaired(store, SETTINGS, { now: NOW })
  await rollUp(store)
  expect((await verified(store, SETTINGS, { now: NOW })).differences).toEqual([])
  expect(await store.rollups.states([0, 1])).toEqual(states)
})

const NOTHING = { shard: 0, now: NOW, unreadable: [], weeks: [], changes: new Map(), due: [], revisions: [] }
