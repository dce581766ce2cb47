import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { CoolerError } from '../src/base/errors.ts'
import { migrations } from '../src/store/sqlite/migrations.ts'
import { APPLICATION_ID } from '../src/store/sqlite/recognise.ts'
import { openSqliteStore } from '../src/store/sqlite/store.ts'
import { cooler } from './cli/cooler.ts'
import { visitors } from './helpers/events.ts'
import { landAll } from './helpers/run-history.ts'
import { renderSchema } from './helpers/schema-snapshot.ts'
import { temporaryFolder, temporaryStore } from './helpers/temporary-store.ts'

const SNAPSHOT = new URL('../schema/sqlite/schema.sql', import.meta.url)

const versionOf = (file: string): unknown => {
  const database = new Database(file)
  try {
    return database.pragma('user_version', { simple: true })
  } finally {
    database.close()
  }
}

test('schema/sqlite/schema.sql is the schema of a fresh store', () => {
  const schema = renderSchema(temporaryStore().file)
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(SNAPSHOT, schema)
  expect(readFileSync(SNAPSHOT, 'utf8'), 'UPDATE_SNAPSHOTS=1 npm test writes it').toBe(schema)
})

test('a fresh store has the newest version, all its shards, and nothing else', () => {
  const { file, archive } = temporaryStore()
  expect(versionOf(file)).toBe(migrations().length)
  expect(archive.shards).toBe(16)
  const database = new Database(file, { readonly: true })
  expect(database.prepare('SELECT name, value FROM setting').all()).toEqual([{ name: 'shards', value: 16 }])
  database.close()
})

test('opening a store again changes nothing of it', async () => {
  const location = join(temporaryFolder(), 'store.sqlite')
  const first = openSqliteStore({ location, rejectsKept: 10 })
  await landAll(first, [[visitors('a', 1), 'rejected']], Date.now())
  await first.close()
  const schema = renderSchema(location)
  const again = openSqliteStore({ location, rejectsKept: 10 })
  expect(await again.landing.counters()).toMatchObject({ landed: 1, rejected: 1 })
  await again.close()
  expect(renderSchema(location)).toBe(schema)
})

test('a store of a newer program is refused, and left as it is', () => {
  const { file } = temporaryStore()
  const database = new Database(file)
  database.pragma('user_version = 7000')
  database.close()
  const open = () => openSqliteStore({ location: file, rejectsKept: 10 })
  expect(open).toThrow(CoolerError)
  expect(open).toThrow(expect.objectContaining({ code: 'store-too-new', retryable: false }))
  expect(open).toThrow(/schema 7000.*up to \d+.*newer program/)
  expect(versionOf(file)).toBe(7000)
})

test('a migration that fails leaves the store as it was, and the next open makes it good', () => {
  const location = join(temporaryFolder(), 'store.sqlite')
  const database = new Database(location)
  database.pragma(`application_id = ${APPLICATION_ID}`)
  database.exec('CREATE TABLE reject (in_the_way INTEGER)')
  expect(() => openSqliteStore({ location, rejectsKept: 10 })).toThrow(/already exists/)
  expect(versionOf(location)).toBe(0)
  database.exec('DROP TABLE reject')
  database.close()
  void openSqliteStore({ location, rejectsKept: 10 }).close()
  expect(versionOf(location)).toBe(migrations().length)
})

test('several processes that open a fresh store at once make it once', async () => {
  const program = cooler()
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => program.run(['compact', '--json'])))
  for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(renderSchema(program.store)).toBe(readFileSync(SNAPSHOT, 'utf8'))
})
