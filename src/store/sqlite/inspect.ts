import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type CheckDepth, problemsOf } from './copy.ts'
import type { Sqlite } from './database.ts'
import { asStoreError } from './errors.ts'
import { newestVersion } from './migrations.ts'
import { recognise } from './recognise.ts'
import { versionOf } from './schema.ts'
import { WAL_LIMIT_BYTES, walBytes } from './wal.ts'

/** Describes a store's file, whichever program wrote it. */
export interface StoreFacts {
  /** Of its schema, and the newest that this program knows. */
  version: number
  newestVersion: number
  bytes: number
  /** Pages that deleted rows have freed, and that are used for what lands next. */
  freeBytes: number
  walBytes: number
  /** What the write-ahead log is cut back to, readers permitting. */
  walLimitBytes: number
  /** What SQLite finds to be wrong with it. */
  problems: string[]
}

const PATIENCE_MS = 5000

/**
 * Reads the facts of a store's file and changes nothing: it neither makes nor migrates the file. Returns null if there is
 * none. A check reads the whole file; while it runs, the write-ahead log cannot be cut.
 *
 * @throws CoolerError `store-busy`, `store-full` (it cannot be opened), `store-damaged`, `store-foreign`
 */
export function inspectSqlite(file: string, check: CheckDepth): StoreFacts | null {
  if (!recognise(file)) return null
  let database: Sqlite | undefined
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: PATIENCE_MS })
    const number = (name: string): number => database?.pragma(name, { simple: true }) as number
    return {
      version: versionOf(database),
      newestVersion: newestVersion(),
      bytes: statSync(file).size,
      freeBytes: number('freelist_count') * number('page_size'),
      walBytes: walBytes(file),
      walLimitBytes: WAL_LIMIT_BYTES,
      problems: problemsOf(database, check),
    }
  } catch (error) {
    throw asStoreError(error)
  } finally {
    database?.close()
  }
}
