import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqlite, prepared, type Sqlite, writeTransaction } from '../../../src/store/sqlite/connection.ts'
import { newestVersion } from '../../../src/store/sqlite/migrations.ts'
import { openSqliteStoreReader } from '../../../src/store/sqlite/store.ts'
import { WAL_LIMIT_BYTES, walBytes } from '../../../src/store/sqlite/wal.ts'
import { visitors } from '../../helpers/events.ts'
import { startReader } from '../../helpers/overlapping-readers.ts'
import { landAll } from '../../helpers/run-history.ts'
import { temporaryFolder, temporaryStore } from '../../helpers/temporary-store.ts'

const MEBIBYTE = 2 ** 20

function temporarySqlite(): { database: Sqlite; file: string } {
  const file = join(temporaryFolder(), 'store.sqlite')
  const database = openSqlite(file)
  onTestFinished(() => void database.close())
  database.exec('CREATE TABLE blobs (id INTEGER PRIMARY KEY, body BLOB)')
  return { database, file }
}

/** Commits of a MiB each; `onCommit` hears of each one. */
function write(database: Sqlite, mebibytes: number, onCommit = (): void => {}): void {
  const body = Buffer.alloc(MEBIBYTE, 7)
  for (let count = 0; count < mebibytes; count++) {
    writeTransaction(database, () => prepared(database, 'INSERT INTO blobs (body) VALUES (?)').run(body))
    onCommit()
  }
}

describe('the write-ahead log', () => {
  test('stays bounded beside readers that overlap without a pause', async () => {
    const { database, file } = temporarySqlite()
    await startReader(file, 100)
    await startReader(file, 170)
    let most = 0
    write(database, 160, () => {
      most = Math.max(most, walBytes(file))
    })
    expect(most).toBeLessThan(2 * WAL_LIMIT_BYTES) // Without cuts it would be all that was written.
  })

  test('grows beside one that stays, holds nobody up for long, and is cut when it has ended', async () => {
    const { database, file } = temporarySqlite()
    const reader = await startReader(file, null)
    write(database, 140)
    expect(walBytes(file)).toBeGreaterThan(2 * WAL_LIMIT_BYTES)
    expect(database.pragma('busy_timeout', { simple: true })).toBe(10_000)
    await reader.end()
    write(database, 3)
    expect(walBytes(file)).toBeLessThan(WAL_LIMIT_BYTES + 2 * MEBIBYTE)
    expect(database.prepare('SELECT count(*) FROM blobs').pluck().get()).toBe(143)
  })
})

describe('a store that a newer program has migrated while it was open here', () => {
  const migrate = (file: string, version: number): void => {
    const other = new Database(file)
    other.pragma(`user_version = ${version}`)
    other.close()
  }
  const tooNew = expect.objectContaining({ code: 'store-too-new', retryable: false })

  test('takes no further write, and keeps what it has', async () => {
    const store = temporaryStore()
    await landAll(store, [[visitors('a', 1)]], Date.now())
    migrate(store.file, newestVersion() + 1)
    await expect(landAll(store, [[visitors('a', 2)]], Date.now())).rejects.toEqual(tooNew)
    await expect(store.registry.put('b', {}, Date.now())).rejects.toEqual(tooNew)
    await expect(store.archive.pruneDay(1)).rejects.toEqual(tooNew)
    expect(await store.landing.counters()).toMatchObject({ landed: 1 })
    expect(await store.registry.count()).toBe(1)
    migrate(store.file, newestVersion())
    await landAll(store, [[visitors('a', 2)]], Date.now())
    expect(await store.landing.counters()).toMatchObject({ landed: 2 })
  })

  test('is not opened for reading either, and a reader of it can tell', async () => {
    const { file } = temporaryStore()
    const options = { location: file, rejectsKept: 10 }
    const reader = openSqliteStoreReader(options)
    onTestFinished(() => reader.close())
    await reader.health.refuseNewer()
    migrate(file, newestVersion() + 1)
    await expect(reader.health.refuseNewer()).rejects.toEqual(tooNew)
    expect(() => openSqliteStoreReader(options)).toThrow(tooNew)
  })
})

test('a file that is no database is foreign, and left as it is', () => {
  const file = join(temporaryFolder(), 'store.sqlite')
  writeFileSync(file, 'no database '.repeat(1000))
  expect(() => openSqlite(file)).toThrow(expect.objectContaining({ code: 'store-foreign' }))
  expect(readFileSync(file, 'utf8')).toBe('no database '.repeat(1000))
})
