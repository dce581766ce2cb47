import Database from 'better-sqlite3'
import { CoolerError } from '../../base/errors.ts'

/** A disk that is full, fails, has become read-only, or accepts no more files. */
const CANNOT_WRITE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/
/** PROTOCOL: too many connections competed for the lock. */
const IS_BUSY = /^SQLITE_(BUSY|PROTOCOL)/

/** Tells whether an error means that somebody else has the lock. */
export const isBusy = (error: unknown): boolean => error instanceof Database.SqliteError && IS_BUSY.test(error.code)

/** Tells whether an error means that the file is not a database, or is a damaged one. */
export const isDamagedFile = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

/** Translates an SQLite error into a CoolerError if there is one for it; returns other errors unchanged. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  if (IS_BUSY.test(error.code)) {
    return new CoolerError('store-busy', 'the store is being written by someone else: try again', { cause: error })
  }
  if (CANNOT_WRITE.test(error.code)) {
    return unwritable(error.message, error)
  }
  if (isDamagedFile(error)) {
    return new CoolerError(
      'store-damaged',
      `the store is damaged (${error.message}): stop what runs on it and restore a backup`,
      { cause: error },
    )
  }
  return error
}

/** Makes the error for a store that cannot be written: its disk is full, failing or read-only, or access is denied. */
export const unwritable = (why: string, cause?: unknown): CoolerError =>
  new CoolerError(
    'store-full',
    `the store cannot be written (${why}): make room, or see to its disk and its rights, and try again`,
    { cause },
  )
