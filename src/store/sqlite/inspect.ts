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
  /** Version of its schema, and the newest version that this program knows. */
  version: number
  newestVersion: number
  bytes: number
  /** Size of the pages that deleted rows have freed and that later writes reuse. */
  freeBytes: number
  walBytes: number
  /** Size that the write-ahead log is cut back to, if readers permit. */
  walLimitBytes: number
  /** Problems that SQLite finds in the file. */
  problems: string[]
}

const PATIENCE_MS = 5000

/**
 * Reads the facts of a store's file; neither creates nor migrates nor changes it. Returns null if there is none. A
 * check reads the whole file; until it ends, the write-ahead log cannot be cut.
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
