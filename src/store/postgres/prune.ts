import { setTimeout } from 'node:timers/promises'
import { CoolerError } from '../../base/errors.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { LONGEST_DAY_MS } from '../archive.ts'
import type { Postgres } from './database.ts'
import { hasState } from './errors.ts'
import { FIRST_KEPT_DAY, lockGuard } from './guard.ts'
import { partitionsBefore } from './partitions.ts'
import type { Session } from './session.ts'

/** Both tables of raw events. */
const TABLES = ['segment', 'compacted'] as const

/** Longest wait for landings under way to end. Those that come meanwhile wait behind it. */
const LANDINGS_END_MS = 500

/** Longest wait for those who read a table, as landings wait behind it; how often to try, and how long to pause. */
const DROP_WAIT_MS = 100
const DROP_ATTEMPTS = 3
const DROP_PAUSE_MS = 100

/**
 * Deletes a day of raw events by moving the bound of the days that are kept past it: no reader looks behind the bound.
 * The space is given back when all days of a partition are behind it; see dropPurged.
 */
export async function pruneDay(
  database: Postgres,
  beforeUtcDay: number,
): Promise<{ utcDay: number; events: number } | null> {
  // Asked outside the transaction, which landings wait for; the answer can only grow meanwhile for days that are kept.
  const utcDay = await firstDay(database.session)
  if (utcDay === null || utcDay >= beforeUtcDay) {
    await dropPurged(database)
    return null
  }
  const pruned = await database.transaction(async (session) => {
    await session.run(`SET LOCAL lock_timeout = ${LANDINGS_END_MS}`)
    await lockGuard(session)
    // An earlier day may have landed since; it is the next one's turn then.
    if ((await firstDay(session)) !== utcDay) return null
    const end = (utcDay + 1) * millisecondsInDay
    if (await isDueBefore(session, end)) return null
    const [{ events }] = await session.rows<{ events: number }>(
      `SELECT (${TABLES.map((table) => `(SELECT coalesce(sum(count), 0) FROM ${table} WHERE shard >= 0 AND utc_day = $1)`).join(' + ')})::bigint AS events`,
      [utcDay],
    )
    await session.run('UPDATE guard SET purged_before = $1 WHERE id = 1', [end])
    return { utcDay, events }
  })
  if (pruned === null) await dropPurged(database)
  return pruned
}

async function firstDay(session: Session): Promise<number | null> {
  const of = (table: string): string =>
    `SELECT min(utc_day) AS day FROM ${table} WHERE shard >= 0 AND utc_day >= ${FIRST_KEPT_DAY}`
  const [{ day }] = await session.rows<{ day: number | null }>(
    `SELECT min(day) AS day FROM (${TABLES.map(of).join(' UNION ALL ')}) AS days`,
  )
  return day
}

/** Tells whether due work, or a day that has not closed, may reach back before an instant. */
async function isDueBefore(session: Session, instant: number): Promise<boolean> {
  const reach = instant + LONGEST_DAY_MS
  const [{ due }] = await session.rows<{ due: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM due_segment WHERE shard >= 0 AND utc_day < $1)
       OR EXISTS (SELECT 1 FROM due_device WHERE shard >= 0 AND from_at < $2)
       OR EXISTS (SELECT 1 FROM rollup_block WHERE shard >= 0 AND next_close_at < $2) AS due`,
    [reach / millisecondsInDay, reach],
  )
  return due
}

/**
 * Drops the partitions of which all days have been purged. That needs the table for a moment, for which landings would
 * wait behind all who read it: so it gives up soon, and leaves the rest to the next time.
 */
async function dropPurged(database: Postgres): Promise<void> {
  const [{ day }] = await database.session.rows<{ day: number }>(`SELECT ${FIRST_KEPT_DAY} AS day`)
  let failed = 0
  for (const table of TABLES) {
    for (const name of await partitionsBefore(database.session, table, day)) {
      while (!(await isDropped(database, table, name))) {
        if (++failed === DROP_ATTEMPTS) return
        await setTimeout(DROP_PAUSE_MS)
      }
    }
  }
}

/** Drops a partition; returns false if somebody reads the table. */
async function isDropped(database: Postgres, table: string, name: string): Promise<boolean> {
  try {
    await database.transaction(async (session) => {
      await session.run(`SET LOCAL lock_timeout = ${DROP_WAIT_MS}`)
      await session.run(`ALTER TABLE ${table} DETACH PARTITION ${name}`)
      await session.run(`DROP TABLE ${name}`)
    })
    return true
  } catch (error) {
    // Another program has just dropped it.
    if (hasState(error, '42P01') || hasState(error, '42P17')) return true
    if (error instanceof CoolerError && error.code === 'store-busy') return false
    throw error
  }
}
