import { readdirSync, readFileSync } from 'node:fs'
import { CoolerError } from '../../base/errors.ts'
import { PROJECT } from '../../base/project-folder.ts'
import type { Postgres } from './database.ts'
import { hasState } from './errors.ts'
import type { Session } from './session.ts'

/** Shards of a new store: at most so many workers roll up at once, and few enough to keep segments long. */
export const SHARDS = 64

/** The oldest server whose partitions and compression suffice, as `server_version_num`. */
const OLDEST_SERVER = 150_000

/** Columns with bodies that are worth compressing; lz4 costs a third of the CPU of PostgreSQL's own method. */
const COMPRESSED = ['segment', 'rollup_block', 'rollup_week', 'state_block'] as const

/** The row of the table `guard` that does not change while programs of one version run. */
export interface Guard {
  /** The newest migration of the store. */
  schema: number
  /** Programs that know only older migrations must not write. */
  oldestWriter: number
  shards: number
}

/** A migration: its SQL, and the oldest schema whose programs may write after it. */
interface Migration {
  sql: string
  oldestWriter: number
}

const FOLDER = `${PROJECT}/schema/postgres`

let read: readonly Migration[] | null = null

/**
 * Returns all migrations in order. A line `-- oldest writer: N` in a migration stops the programs before N. What older
 * programs cannot read, bodies of a new form too, is written only after such a line: one version of the program adds a
 * migration and reads the new form, a later one writes it and stops those before that migration.
 */
export function migrations(): readonly Migration[] {
  if (read !== null) return read
  const files = readdirSync(FOLDER).filter((name) => /^\d{3}-.*\.sql$/.test(name))
  let oldestWriter = 1
  read = files.sort().map((name) => {
    const sql = readFileSync(`${FOLDER}/${name}`, 'utf8')
    oldestWriter = Number(/^-- oldest writer: (\d+)$/m.exec(sql)?.[1] ?? oldestWriter)
    return { sql, oldestWriter }
  })
  return read
}

/** Reads the guard; null if the database has no store yet. */
export async function readGuard(session: Session): Promise<Guard | null> {
  const [{ there }] = await session.rows<{ there: boolean }>("SELECT to_regclass('guard') IS NOT NULL AS there")
  if (!there) return null
  const rows = await session.rows<Guard>(
    'SELECT schema, oldest_writer AS "oldestWriter", shards FROM guard WHERE id = 1',
  )
  return rows[0] ?? null
}

/** Refuses a store that a newer program has made unreadable or unwritable for this one. @throws CoolerError `store-too-new` */
export function refuseNewer({ schema, oldestWriter }: Pick<Guard, 'schema' | 'oldestWriter'>): void {
  const known = migrations().length
  if (oldestWriter <= known) return
  throw new CoolerError(
    'store-too-new',
    `the store has schema ${schema}, which needs programs that know ${oldestWriter}; this one knows up to ${known}:` +
      ' use the newer program',
  )
}

/** Refuses servers that cannot hold a store. @throws CoolerError `bad-configuration` */
export async function requireServer(session: Session): Promise<void> {
  const [server] = await session.rows<{ version: number; name: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name",
  )
  refuseOldServer(server)
}

/** Refuses a server by its `server_version_num` and `server_version`. @throws CoolerError `bad-configuration` */
export function refuseOldServer({ version, name }: { version: number; name: string }): void {
  if (version >= OLDEST_SERVER) return
  const oldest = OLDEST_SERVER / 10_000
  throw new CoolerError(
    'bad-configuration',
    `COOLER_STORE names a server of PostgreSQL ${name}: use ${oldest} or newer`,
  )
}

/** Creates the store if the database has none, and brings an older one up to date. Returns its guard. */
export async function migrate(database: Postgres, shards = SHARDS): Promise<Guard> {
  let guard = await readGuard(database.session)
  while (guard === null || guard.schema < migrations().length) {
    try {
      await database.transaction((session) => step(session, shards))
    } catch (error) {
      if (!isRace(error)) throw error
    }
    guard = await readGuard(database.session)
  }
  refuseNewer(guard)
  return guard
}

/** Another program has created the same tables at the same time. */
const isRace = (error: unknown): boolean => ['42P07', '23505', '42710'].some((state) => hasState(error, state))

async function step(session: Session, shards: number): Promise<void> {
  const isThere = (await readGuard(session)) !== null
  if (!isThere) await refuseForeign(session)
  else await session.run('LOCK TABLE guard IN EXCLUSIVE MODE')
  const schema = isThere ? ((await readGuard(session)) as Guard).schema : 0
  const migration = migrations()[schema]
  if (migration === undefined) return // Another program has done it while this one waited for the lock.
  await session.run(migration.sql)
  if (!isThere) await fill(session, shards)
  await session.run('UPDATE guard SET schema = $1, oldest_writer = $2 WHERE id = 1', [
    schema + 1,
    migration.oldestWriter,
  ])
}

/** Refuses a database without a store that has tables. @throws CoolerError `store-foreign` */
export async function refuseForeign(session: Session): Promise<void> {
  const [found] = await session.rows<{ name: string }>(
    'SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace' +
      " AND relkind IN ('r', 'p') LIMIT 1",
  )
  if (found === undefined) return
  throw new CoolerError(
    'store-foreign',
    `the database that COOLER_STORE names is of another program (it has a table ${found.name}): give the store its own`,
  )
}

async function fill(session: Session, shards: number): Promise<void> {
  await session.run('INSERT INTO guard (id, schema, oldest_writer, shards) VALUES (1, 0, 1, $1)', [shards])
  for (const table of ['shard', 'shard_turn', 'shard_devices'])
    await session.run(`INSERT INTO ${table} (shard) SELECT generate_series(0, $1::int - 1)`, [shards])
  for (const table of COMPRESSED) {
    await session.run('SAVEPOINT lz4')
    try {
      await session.run(`ALTER TABLE ${table} ALTER COLUMN body SET COMPRESSION lz4`)
    } catch (error) {
      // A server without lz4 compresses by its own method; `doctor` tells so.
      if (!hasState(error, '0A000')) throw error
      await session.run('ROLLBACK TO SAVEPOINT lz4')
    }
  }
}
