import { expect, onTestFinished, test } from 'vitest'
import { openPostgresStore, openPostgresStoreReader } from '../../../src/store/postgres/store.ts'
import { withClient } from '../../helpers/postgres-database.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { LANDED_AT, MIDNIGHT, visitors } from '../landing-fixture.ts'

const tooNew = expect.objectContaining({ code: 'store-too-new', retryable: false })

async function store() {
  const location = await temporaryDatabase()
  const options = { location, rejectsKept: 10 }
  const opened = await openPostgresStore(options)
  onTestFinished(() => opened.close())
  const set = (column: string, value: number) =>
    withClient(location, (client) => client.query(`UPDATE guard SET ${column} = ${value}`))
  return { opened, options, set }
}

test('a program goes on beside a newer one that has only added to the schema', async () => {
  const { opened, options, set } = await store()
  await set('schema', 99)
  await opened.landing.land(visitors(['a', MIDNIGHT, 1]), LANDED_AT)
  await opened.health.requireUsable()
  for (const open of [openPostgresStore, openPostgresStoreReader]) await (await open(options)).close()
})

test('once a newer program has changed what an older one relies on, the older one writes nothing more', async () => {
  const { opened, options, set } = await store()
  await opened.landing.land(visitors(['a', MIDNIGHT, 1]), LANDED_AT)
  await set('oldest_writer', 99)
  await expect(opened.landing.land(visitors(['a', MIDNIGHT, 1]), LANDED_AT)).rejects.toEqual(tooNew)
  await expect(opened.registry.put('b', {}, LANDED_AT)).rejects.toEqual(tooNew)
  await expect(opened.health.refuseNewer()).rejects.toEqual(tooNew)
  const version = await opened.rollups.version(0)
  await expect(opened.rollups.repair({ ...NOTHING, shard: 0, version })).rejects.toEqual(tooNew)
  await expect(openPostgresStore(options)).rejects.toEqual(tooNew)
  expect(await opened.landing.counters()).toMatchObject({ landed: 1 })
})

const NOTHING = {
  now: LANDED_AT,
  unreadable: [],
  weeks: [],
  changes: new Map(),
  states: new Map(),
  due: [],
  revisions: [],
}
