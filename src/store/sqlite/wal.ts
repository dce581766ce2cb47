import { statSync } from 'node:fs'
import type { Sqlite } from './database.ts'

/** What the write-ahead log may grow to, readers permitting; SQLite cuts it back to this whenever it begins it anew. */
export const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * How often a cut is tried in a row, and how long the readers of older states are waited for each time: all in all two
 * seconds, in which other writers wait, too; well within their own patience. Not one long try: SQLite would wait until
 * nobody holds the place that a reader had in the log, and one who goes on to the newest state takes the same place.
 */
const TRIES = 8
const PATIENCE_MS = 250

/** Size of the log at which its next cut is tried, for each connection. */
const nextCutBytes = new WeakMap<Sqlite, number>()

/**
 * To be called after a commit: cuts the write-ahead log back where it has grown beyond its limit.
 *
 * SQLite copies the log into the store by itself, but begins it anew only at a moment without readers of it. Two
 * reports or rollups that overlap again and again leave none, and the log would grow without end; a cut waits for
 * those there are and keeps new ones from holding it. A reader that stays (a backup) makes it fail: then the next one
 * is tried when the log has grown by half, so that waiting costs little however long he stays.
 */
export function boundWal(database: Sqlite): void {
  try {
    if (isCutDue(database)) cut(database)
  } catch {
    // The commit stands, and its caller must not hear of a failure: what fails here is tried again.
  }
}

function isCutDue(database: Sqlite): boolean {
  const bytes = walBytes(database.name)
  if (bytes < WAL_LIMIT_BYTES) nextCutBytes.delete(database)
  if (bytes < (nextCutBytes.get(database) ?? WAL_LIMIT_BYTES)) return false
  nextCutBytes.set(database, bytes + Math.max(WAL_LIMIT_BYTES, bytes / 2))
  return true
}

/** Empties the write-ahead log, where nobody keeps reading an older state; returns whether it is empty. */
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

/** 0 where there is none. */
export const walBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
