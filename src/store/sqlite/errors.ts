import Database from 'better-sqlite3'
import { CoolerError } from '../../base/errors.ts'

/** Besides a full disk: one that fails, has become read-only, or takes no further file. */
const CANNOT_WRITE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/
/** PROTOCOL: too many others were at the lock at the same time. */
const IS_BUSY = /^SQLITE_(BUSY|PROTOCOL)/

/** Whether an error tells that the file is no store, or no longer a whole one. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

/** What SQLite tells, as an error of ours where there is one for it. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  if (IS_BUSY.test(error.code)) {
    return new CoolerError('store-busy', 'the store is being written by someone else: try again', { cause: error })
  }
  if (CANNOT_WRITE.test(error.code)) {
    return unwritable(error.message, error)
  }
  if (isDamage(error)) {
    return new CoolerError(
      'store-damaged',
      `the store is damaged (${error.message}): stop what runs on it and restore a backup`,
      { cause: error },
    )
  }
  return error
}

/** The error of a store that takes no write: its disk is full, fails or is read-only, or rights are missing. */
export const unwritable = (why: string, cause?: unknown): CoolerError =>
  new CoolerError(
    'store-full',
    `the store cannot be written (${why}): make room, or see to its disk and its rights, and try again`,
    { cause },
  )
