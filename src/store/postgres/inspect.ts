import { serversOf } from '../../base/store-location.ts'
import { Postgres } from './database.ts'
import { newestSchema } from './guard.ts'
import { type Guard, readGuard, refuseForeign, requireServer } from './schema.ts'
import {
  excessOf,
  type OldTransaction,
  type Replication,
  readDaysAhead,
  readDeadRows,
  readOldestTransaction,
  readReplication,
  seesSessions,
  type TableRows,
} from './server-state.ts'
import type { Session } from './session.ts'

/** One of the servers that a location names. */
export interface ServerAnswer {
  /** Its host and port. */
  server: string
  /** Null if it cannot be used. */
  role: 'primary' | 'standby' | null
  /** When it was started (epoch ms), which tells servers apart that have several addresses; 0 if it cannot be used. */
  startedAt: number
  /** Why it cannot be used. */
  problem: Error | null
}

/** Rights of the role that COOLER_STORE names. */
export interface RoleRights {
  role: string
  /** The schema of the store; null if the role may use none. */
  schema: string | null
  mayCreate: boolean
  /** Tables that belong to others, so that the role can neither add partitions to them nor remove any. */
  foreignTables: string[]
}

/** What a server reports about itself and about the store in one of its databases. */
export interface DatabaseFacts {
  /** Version of the server, such as `15.18`. */
  server: string
  /** The store's schema, and the newest that this program knows; null if the database has no store yet. */
  schema: (Pick<Guard, 'schema' | 'oldestWriter'> & { newest: number }) | null
  bytes: number
  /** This machine's clock minus the server's. */
  clockAheadMs: number
  rights: RoleRights
  /** Whether the role may see the sessions of others. */
  seesSessions: boolean
  replication: Replication
  /** Null for none, or if the role may not see it. */
  oldestTransaction: OldTransaction | null
  /** The table in which dead rows exceed live ones by the most, and by how many; null if there are no tables. */
  deadRows: (TableRows & { excess: number }) | null
  autovacuums: boolean
  /** Whole days after today for which all partitions exist; -1 if one of today is missing. */
  partitionDaysAhead: number
  /** How new bodies are compressed, and whether the server knows lz4. */
  compression: { method: 'lz4' | 'pglz'; hasLz4: boolean }
  /** Damaged pages that the server has found by its checksums; null if it writes none. */
  checksumFailures: number | null
}

/** Asks each server that a location names; never fails. */
export function inspectServers(location: string): Promise<ServerAnswer[]> {
  return Promise.all(
    serversOf(location).map(async (url): Promise<ServerAnswer> => {
      const database = new Postgres(url, { replica: true })
      const server = new URL(url).host || 'the socket'
      try {
        const [{ standby, startedAt }] = await database.session.rows<{ standby: boolean; startedAt: number }>(
          'SELECT pg_is_in_recovery() AS standby, extract(epoch FROM pg_postmaster_start_time()) * 1000 AS "startedAt"',
        )
        return { server, role: standby ? 'standby' : 'primary', startedAt, problem: null }
      } catch (error) {
        return { server, role: null, startedAt: 0, problem: error as Error }
      } finally {
        await database.close()
      }
    }),
  )
}

/**
 * Reads the facts of the database that a location names; neither creates nor migrates nor changes anything.
 *
 * @throws CoolerError `store-busy`, `store-foreign`, `bad-configuration`
 */
export async function inspectDatabase(location: string): Promise<DatabaseFacts> {
  const database = new Postgres(location)
  try {
    return await readFacts(database.session)
  } finally {
    await database.close()
  }
}

async function readFacts(session: Session): Promise<DatabaseFacts> {
  await requireServer(session)
  const rights = await readRights(session)
  const guard = rights.schema === null ? null : await readGuard(session)
  if (guard === null && rights.schema !== null) await refuseForeign(session)
  const sees = await seesSessions(session)
  const deadRows = await readDeadRows(session)
  const [facts] = await session.rows<
    Pick<DatabaseFacts, 'server' | 'bytes' | 'autovacuums' | 'checksumFailures'> & {
      hasLz4: boolean
      method: string | null
    }
  >(
    `SELECT current_setting('server_version') AS server, pg_database_size(current_database()) AS bytes,
       current_setting('autovacuum')::bool AND current_setting('track_counts')::bool AS autovacuums,
       (SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()) AS "checksumFailures",
       'lz4' = ANY (enumvals) AS "hasLz4",
       CASE (SELECT attcompression FROM pg_attribute WHERE attrelid = to_regclass('segment') AND attname = 'body')
         WHEN 'l' THEN 'lz4' WHEN 'p' THEN 'pglz' WHEN '' THEN setting END AS method
     FROM pg_settings WHERE name = 'default_toast_compression'`,
  )
  const { hasLz4, method, ...others } = facts
  return {
    ...others,
    schema: guard && { schema: guard.schema, oldestWriter: guard.oldestWriter, newest: newestSchema() },
    clockAheadMs: await readClock(session),
    rights,
    seesSessions: sees,
    replication: await readReplication(session, sees),
    oldestTransaction: sees ? await readOldestTransaction(session) : null,
    deadRows: deadRows && { ...deadRows, excess: excessOf(deadRows) },
    partitionDaysAhead: await readDaysAhead(session),
    compression: { hasLz4, method: (method ?? (hasLz4 ? 'lz4' : 'pglz')) === 'lz4' ? 'lz4' : 'pglz' },
  }
}

async function readRights(session: Session): Promise<RoleRights> {
  const [rights] = await session.rows<Omit<RoleRights, 'foreignTables'>>(
    `SELECT current_user AS role, current_schema() AS schema,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate"`,
  )
  const tables = await session.rows<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
     AND NOT pg_has_role(relowner, 'USAGE') ORDER BY relname COLLATE "C"`,
  )
  return { ...rights, foreignTables: tables.map(({ name }) => name) }
}

/** Asks for the time halfway between question and answer. */
async function readClock(session: Session): Promise<number> {
  const asked = performance.now()
  const [{ at }] = await session.rows<{ at: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at')
  return Date.now() - (performance.now() - asked) / 2 - at
}
