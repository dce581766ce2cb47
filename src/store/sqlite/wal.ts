import { statSync } from 'node:fs'
import type { Sqlite } from './database.ts'

/** Size limit of the write-ahead log, if readers permit; SQLite cuts the log back to it on each restart. */
export const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * How often a cut is tried in a row, and how long each try waits for readers of older states: two seconds in all, well
 * within the timeout of other writers, who wait, too. One long try would not do: SQLite waits until the slot that a
 * reader had in the log is free, and a reader that goes on to the newest state takes the same slot.
 */
const TRIES = 8
const PATIENCE_MS = 250

/** Size of the log at which its next cut is tried, by connection. */
const nextCutBytes = new WeakMap<Sqlite, number>()

/**
 * Cuts the write-ahead log back if it has grown beyond its limit. Call it after a commit.
 *
 * SQLite copies the log into the store by itself, but restarts the log only at a moment without readers. Reports or
 * rollups that keep overlapping leave no such moment, and the log would grow without end. A cut waits for the current
 * readers and keeps new ones from holding the log. A reader that stays (a backup) makes it fail; the next cut is then
 * tried when the log has grown by half, so that waiting costs little however long the reader stays.
 */
export function boundWal(database: Sqlite): void {
  try {
    if (isCutDue(database)) cut(database)
  } catch {
    // The commit stands, so its caller must not see a failure. The cut is tried again later.
  }
}

function isCutDue(database: Sqlite): boolean {
  const bytes = walBytes(database.name)
  if (bytes < WAL_LIMIT_BYTES) nextCutBytes.delete(database)
  if (bytes < (nextCutBytes.get(database) ?? WAL_LIMIT_BYTES)) return false
  nextCutBytes.set(database, bytes + Math.max(WAL_LIMIT_BYTES, bytes / 2))
  return true
}

/** Empties the write-ahead log, unless somebody keeps reading an older state; returns whether it is empty. */
export const emptyWal = (database: Sqlite): boolean => cut(database)

function cut(database: Sqlite): boolean {
  const usualMs = database.pragma('busy_timeout', { simple: true }) as number
  database.pragma(`busy_timeout = ${PATIENCE_MS}`)
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const [{ busy }] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      if (busy === 0) return true
    }
    return false
  } finally {
    database.pragma(`busy_timeout = ${usualMs}`)
  }
}

/** Returns the size of the write-ahead log; 0 if there is none. */
export const walBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
