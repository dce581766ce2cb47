import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { type CopyOptions, type CopyResult, copySqlite } from './copy.ts'
import { removeBeside } from './copy-pages.ts'
import type { Sqlite } from './database.ts'
import { asStoreError, isDamage } from './errors.ts'

/** How long a connection that is just ending is waited for. */
const PATIENCE_MS = 1000

/**
 * Puts a copy of a backup in a store's place, while nobody else has the store open.
 *
 * Copying the file over by hand is not enough: a write-ahead log that a killed process has left beside the store belongs
 * to the old one, but nothing in it says so. SQLite would apply it to whatever file it finds there, and what it makes of
 * the two is damaged, or wrong without a word.
 *
 * @throws CoolerError `store-busy` where another process has the store open (nothing has changed then); as copySqlite
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
 * A connection that keeps everybody else out; null where the file is too damaged to be opened by anyone. Leaving the
 * write-ahead log is what SQLite allows only to the last one who has the store open.
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
    if (isDamage(error)) return null
    const fault = asStoreError(error)
    if (!(fault instanceof CoolerError) || fault.code !== 'store-busy') throw fault
    throw new CoolerError('store-busy', `${store} is open in another process: stop it first`, { cause: error })
  }
}
