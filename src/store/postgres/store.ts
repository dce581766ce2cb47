import { CoolerError } from '../../base/errors.ts'
import { type MoveState, type MoveTarget, requireUse } from '../moving.ts'
import type { Store, StoreOptions } from '../open-store.ts'
import { ServerClock } from '../store-clock.ts'
import type { StoreView } from '../view.ts'
import { PostgresArchive } from './archive.ts'
import { Postgres } from './database.ts'
import { PostgresDue } from './due.ts'
import { PostgresErasure } from './erasure.ts'
import { healthOf } from './health.ts'
import { Ids } from './ids.ts'
import { PostgresLanding } from './landing.ts'
import { PostgresMoveReads } from './move-reads.ts'
import { readMoveState, setMoveState } from './move-state.ts'
import { beginMove, PostgresMoveTarget } from './move-target.ts'
import { PostgresNotices } from './notices.ts'
import { DeviceNumbers } from './numbers.ts'
import { Partitions } from './partitions.ts'
import { PostgresRegistry } from './registry.ts'
import { PostgresRejects } from './rejects.ts'
import { PostgresRollupStore } from './rollup-store.ts'
import { migrate, migrations, readGuard, refuseNewer, requireServer } from './schema.ts'
import type { Session } from './session.ts'
import { PostgresShardTurns } from './shard-turns.ts'

/** Opens a store in PostgreSQL; see openStore. @param shards of a store that is created */
export async function openPostgresStore({ location, rejectsKept }: StoreOptions, shards?: number): Promise<Store> {
  return opened(new Postgres(location), async (database) => {
    await requireServer(database.session)
    const guard = await migrate(database, shards)
    requireUse(await readMoveState(database.session), 'write')
    return asStore(database, guard.shards, rejectsKept)
  })
}

/** Opens or creates a store in PostgreSQL as the target of a move; see openMoveTarget. */
export async function openPostgresMoveTarget(
  { location, rejectsKept }: StoreOptions,
  shards?: number,
): Promise<MoveTarget> {
  return opened(new Postgres(location), async (database) => {
    await requireServer(database.session)
    const guard = await migrate(database, shards)
    const run = await beginMove(database)
    return new PostgresMoveTarget(database, run, await asStore(database, guard.shards, rejectsKept))
  })
}

/** Sets whether a store in PostgreSQL may be used; see setMoveState. */
export async function setPostgresMoveState(
  { location }: StoreOptions,
  state: Exclude<MoveState, 'unfinished'>,
): Promise<void> {
  const database = new Postgres(location)
  try {
    await setMoveState(database, state)
  } finally {
    await database.close()
  }
}

/** Opens an existing store in PostgreSQL for reading only; see openStoreReader. */
export async function openPostgresStoreReader({ location, rejectsKept, replica }: StoreOptions): Promise<Store> {
  return opened(new Postgres(location, { replica }), async (database) => {
    await requireServer(database.session)
    const guard = await readGuard(database.session)
    if (guard === null) {
      throw new CoolerError(
        'not-found',
        'the database that COOLER_STORE names has no store: start a service or `cooler ingest`, which make one',
      )
    }
    refuseNewer(guard)
    if (guard.schema < migrations().length) {
      throw new CoolerError(
        'bad-configuration',
        `the store has schema ${guard.schema}, this program reads ${migrations().length}: start a service, or run any` +
          ' command that writes: it brings the store up to date',
      )
    }
    requireUse(await readMoveState(database.session), 'read')
    return asStore(database, guard.shards, rejectsKept)
  })
}

async function opened<Opened>(database: Postgres, open: (database: Postgres) => Promise<Opened>): Promise<Opened> {
  try {
    return await open(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function asStore(database: Postgres, shards: number, rejectsKept: number): Promise<Store> {
  const parts = {
    database,
    shards,
    partitions: new Partitions(database),
    ids: new Ids(),
    numbers: new DeviceNumbers(shards),
  }
  const roles = (session: Session, isFixed: boolean) => {
    const rejects = new PostgresRejects(session, database, rejectsKept)
    return {
      landing: new PostgresLanding(session, { ...parts, rejects }),
      due: new PostgresDue(session),
      archive: new PostgresArchive(session, shards, { ...parts, isFixed }),
      rollups: new PostgresRollupStore(session, shards, { ...parts, isFixed }),
      registry: new PostgresRegistry(session, database, shards, parts.numbers),
      rejects,
      erasure: new PostgresErasure(session, shards, parts),
      notices: new PostgresNotices(session, database, shards),
      moving: new PostgresMoveReads(session, shards),
    }
  }
  return {
    ...roles(database.session, false),
    turns: new PostgresShardTurns(database),
    clock: await ServerClock.start(() => timeOf(database.session)),
    snapshot: (reads) => database.snapshot((session) => reads(roles(session, true) satisfies StoreView)),
    health: healthOf(database),
    rescue: null,
    close: () => database.close(),
  }
}

async function timeOf(session: Session): Promise<number> {
  const [{ time }] = await session.rows<{ time: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time',
  )
  return time
}
