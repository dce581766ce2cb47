import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { type CopyOptions, type CopyResult, copySqlite } from './copy.ts'
import { removeBeside } from './copy-pages.ts'
import type { Sqlite } from './database.ts'
import { asStoreError, isDamagedFile } from './errors.ts'

/** How long to wait for a connection that is just closing. */
const PATIENCE_MS = 1000

/**
 * Replaces a store with a copy of a backup, while nobody else has the store open.
 *
 * Copying the file by hand is not enough. A killed process may have left a write-ahead log next to the store; it
 * belongs to the old store, but nothing in it says so. SQLite would apply it to any file it finds there, and the result
 * would be damaged or silently wrong.
 *
 * @throws CoolerError `store-busy` if another process has the store open (nothing is changed); others as copySqlite
 */
export async function restoreSqlite(backup: string, store: string, options: CopyOptions): Promise<CopyResult> {
  mkdirSync(dirname(store), { recursive: true, mode: 0o700 })
  return copySqlite(backup, store, options, (partial) => {
    const held = existsSync(store) ? holdAlone(store) : null
    try {
      removeBeside(store)
      renameDurably(partial, store)
    } finally {
      held?.close()
    }
  })
}

/**
 * Opens a connection that keeps everybody else out; null if the file is too damaged for anyone to open. SQLite lets a
 * connection leave WAL mode only if no other has the store open.
 */
function holdAlone(store: string): Sqlite | null {
  const database = new Database(store, { timeout: PATIENCE_MS })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (isDamagedFile(error)) return null
    const fault = asStoreError(error)
    if (!(fault instanceof CoolerError) || fault.code !== 'store-busy') throw fault
    throw new CoolerError('store-busy', `${store} is open in another process: stop it first`, { cause: error })
  }
}
