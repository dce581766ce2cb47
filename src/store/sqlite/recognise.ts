import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { CoolerError } from '../../base/errors.ts'
import { inodeOf } from './identity.ts'
import { migrations } from './migrations.ts'
import { tablesOf } from './tables.ts'

/** Marks a SQLite file as a store of ours (`PRAGMA application_id`): "Cool" in ASCII. */
export const APPLICATION_ID = 0x436f6f6c

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
const APPLICATION_ID_AT = 68

/** Files already recognised: closing another descriptor of a store would drop the locks that SQLite has on it. */
const known = new Set<string>()

/**
 * Tells whether a file is a store of ours; false if it is missing or empty. Reads it without SQLite, which would roll
 * back the journal of a foreign database, or create a write-ahead log next to it.
 *
 * @throws CoolerError `store-foreign` if the file is something else
 */
export function recognise(file: string): boolean {
  const stat = inodeOf(file) === null ? null : statSync(file)
  if (stat === null || (stat.isFile() && stat.size === 0)) return false
  if (!stat.isFile()) throw foreign(file, 'it is no ordinary file')
  const key = `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`
  if (known.has(key)) return true
  const header = readBytes(file, HEADER_BYTES)
  if (!isSqlite(header)) {
    throw foreign(file, 'it is no SQLite database. If it was a store, it is damaged: restore a backup')
  }
  const id = header.readUInt32BE(APPLICATION_ID_AT)
  if (id !== APPLICATION_ID && (id !== 0 || !hasTablesOfOurs(file))) {
    throw foreign(file, 'it is a database of another program')
  }
  known.add(key)
  return true
}

/** Refuses to replace a database of another program. @throws CoolerError `store-foreign` */
export function refuseForeignDatabase(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() && isSqlite(readBytes(file, HEADER_BYTES))) recognise(file)
}

const isSqlite = (header: Buffer): boolean =>
  header.length === HEADER_BYTES && header.toString('latin1', 0, MAGIC.length) === MAGIC

/** Makes the error for a file that is not a store. */
export const foreign = (file: string, why: string): CoolerError =>
  new CoolerError('store-foreign', `${file} is not a store and was left as it is: ${why}`)

function readBytes(file: string, bytes: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** Tells whether a file has exactly the tables of one version of our schema. */
function hasTablesOfOurs(file: string): boolean {
  const tables = tablesOf(file)
  if (tables === null) return false
  const names = tables.length === 0 && existsSync(`${file}-wal`) ? tablesInLog(file) : tables
  return schemas().some((schema) => schema === nameOf(names))
}

/** Returns the tables of a database that are only in its log, from a copy of both files, which are small then. */
function tablesInLog(file: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-'))
  try {
    const copy = join(folder, 'copy')
    copyFileSync(file, copy)
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    const database = new Database(copy)
    try {
      return database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
    } finally {
      database.close()
    }
  } catch {
    return [] // Unreadable, so not a store of ours.
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const nameOf = (tables: Iterable<string>): string =>
  [...tables]
    .filter((name) => !name.startsWith('sqlite_'))
    .sort()
    .join(' ')

/** Returns the tables of each version of the schema. */
function schemas(): string[] {
  const tables = new Set<string>()
  return migrations().map((sql) => {
    for (const [, name] of sql.matchAll(/^CREATE TABLE (\w+)/gm)) tables.add(name)
    return nameOf(tables)
  })
}
