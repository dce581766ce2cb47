import type { ServerState } from '../../base/server-state.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { countDaysAhead } from './partitions.ts'
import type { Session } from './session.ts'

/** How commits reach other machines. What the role may not see (pg_monitor) is null. */
export interface Replication {
  /** Standbys that stream from the server. */
  replicas: number
  /** Standbys that commits wait for. */
  synchronousReplicas: number | null
  /** How far the slowest standby is behind; 0 without one. */
  lagSeconds: number | null
  /** The setting `synchronous_standby_names`. */
  standbyNames: string
  /** The setting `synchronous_commit`, as it is for this role. */
  synchronousCommit: string
  /** Replication slots that nobody uses, and the bytes of the write-ahead log that the server keeps for each. */
  idleSlots: { name: string; keptBytes: number }[]
}

/** A transaction that keeps vacuum from removing rows. */
export interface OldTransaction {
  ageSeconds: number
  /** Who has it open, for people. */
  owner: string
}

/** A table and the rows that the server has counted in it. */
export interface TableRows {
  table: string
  live: number
  dead: number
  /** Seconds since it was vacuumed; null if it never was. */
  vacuumedSeconds: number | null
}

/** Tells whether the role may see the sessions of others: the statistics are full of NULLs otherwise. */
export async function seesSessions(session: Session): Promise<boolean> {
  const [{ sees }] = await session.rows<{ sees: boolean }>(
    "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees",
  )
  return sees
}

/** Reads how commits are replicated. Subscribers of logical replication are no standbys. */
export async function readReplication(session: Session, sees: boolean): Promise<Replication> {
  const [{ synchronous, lag, ...read }] = await session.rows<
    Pick<Replication, 'replicas' | 'standbyNames' | 'synchronousCommit'> & { synchronous: number; lag: number }
  >(
    `SELECT count(*) FILTER (WHERE state IS NULL OR state = 'streaming') AS replicas,
       count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS synchronous,
       coalesce(extract(epoch FROM max(replay_lag)), 0) AS lag,
       current_setting('synchronous_standby_names') AS "standbyNames",
       current_setting('synchronous_commit') AS "synchronousCommit"
     FROM pg_stat_replication AS sender WHERE NOT EXISTS (
       SELECT FROM pg_replication_slots WHERE active_pid = sender.pid AND slot_type = 'logical')`,
  )
  const idleSlots = await session.rows<Replication['idleSlots'][number]>(
    `SELECT slot_name AS name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) AS "keptBytes"
     FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery()
     ORDER BY slot_name COLLATE "C"`,
  )
  return { ...read, synchronousReplicas: sees ? synchronous : null, lagSeconds: sees ? lag : null, idleSlots }
}

/** Reads the oldest transaction in the database, other than this one; null if there is none. */
export async function readOldestTransaction(session: Session): Promise<OldTransaction | null> {
  const [oldest] = await session.rows<OldTransaction>(
    `SELECT extract(epoch FROM clock_timestamp() - since) AS "ageSeconds", owner FROM (
       SELECT xact_start AS since, format('process %s of %s (%s), %s', pid, usename, application_name, state) AS owner
       FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
       AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
       UNION ALL
       SELECT prepared, format('the prepared transaction %s of %s', gid, owner)
       FROM pg_prepared_xacts WHERE database = current_database()
     ) AS open ORDER BY since LIMIT 1`,
  )
  return oldest ?? null
}

/** Reads the table in which dead rows exceed live ones by the most; null if the database has no tables. */
export async function readDeadRows(session: Session): Promise<TableRows | null> {
  const [worst] = await session.rows<TableRows>(
    `SELECT relname AS table, n_live_tup AS live, n_dead_tup AS dead,
       extract(epoch FROM clock_timestamp() - greatest(last_vacuum, last_autovacuum)) AS "vacuumedSeconds"
     FROM pg_stat_user_tables WHERE schemaname = current_schema()
     ORDER BY n_dead_tup - n_live_tup DESC, relname COLLATE "C" LIMIT 1`,
  )
  return worst ?? null
}

/** Returns the number by which the dead rows of a table exceed its live ones; 0 if they do not. */
export const excessOf = (rows: TableRows | null): number => (rows === null ? 0 : Math.max(0, rows.dead - rows.live))

/** Counts the days ahead, by the clock of the server, that have their partitions. */
export async function readDaysAhead(session: Session): Promise<number> {
  const [{ day }] = await session.rows<{ day: number }>(
    `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 / ${millisecondsInDay}) AS day`,
  )
  return countDaysAhead(session, day)
}

/** Reads the state of the server for metrics and for the dashboard. */
export async function readServerState(session: Session): Promise<ServerState> {
  const sees = await seesSessions(session)
  const { replicas, synchronousReplicas, lagSeconds } = await readReplication(session, sees)
  return {
    replicas,
    synchronousReplicas,
    replicationLagSeconds: lagSeconds,
    oldestTransactionSeconds: sees ? ((await readOldestTransaction(session))?.ageSeconds ?? 0) : null,
    excessDeadRows: excessOf(await readDeadRows(session)),
    partitionDaysAhead: await readDaysAhead(session),
  }
}
