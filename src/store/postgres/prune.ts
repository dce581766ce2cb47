import { millisecondsInDay } from '../../base/time.ts'
import { LONGEST_DAY_MS } from '../archive.ts'
import type { Postgres } from './database.ts'
import { hasState } from './errors.ts'
import { FIRST_KEPT_DAY, lockGuard } from './guard.ts'
import { type OldPartition, partitionsBefore } from './partitions.ts'
import type { Session } from './session.ts'

/** Both tables of raw events. */
const TABLES = ['segment', 'compacted'] as const

/** Longest wait for landings under way to end. Those that come meanwhile wait behind it. */
const LANDINGS_END_MS = 500

/** Dropping a partition waits for all who still read an older state of its table. */
const DROP_MS = 10 * 60_000

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
 * Drops the partitions of which all days have been purged. They are detached first, which waits for those who read an
 * older state and locks nobody out; what an earlier call left detached is dropped, too.
 */
export async function dropPurged(database: Postgres): Promise<void> {
  const [{ day }] = await database.session.rows<{ day: number | null }>(`SELECT ${FIRST_KEPT_DAY} AS day`)
  if (day === null || day <= 0) return
  for (const table of TABLES) {
    for (const old of await partitionsBefore(database.session, table, day)) await drop(database, table, old)
  }
}

async function drop(database: Postgres, table: string, { name, state }: OldPartition): Promise<void> {
  try {
    await database.withClient(async (client) => {
      if (state === 'attached') await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name} CONCURRENTLY`)
      if (state === 'pending') await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name} FINALIZE`)
      await client.query(`DROP TABLE ${name}`)
    }, DROP_MS)
  } catch (error) {
    // Another program is at it, or has just finished.
    if (!['42P01', '42P17', '55000'].some((one) => hasState(error, one))) throw error
  }
}
