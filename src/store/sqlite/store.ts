import { requireStillInUse, requireUse } from '../moving.ts'
import type { Store, StoreOptions } from '../open-store.ts'
import { MACHINE_CLOCK } from '../store-clock.ts'
import type { Snapshot, StoreView } from '../view.ts'
import { SqliteArchive } from './archive.ts'
import {
  identityOfConnection,
  openSqlite,
  openSqliteReader,
  prepared,
  requirePresent,
  requireWritable,
  type Sqlite,
} from './connection.ts'
import { SqliteDue } from './due.ts'
import { SqliteErasure } from './erasure.ts'
import { asStoreError } from './errors.ts'
import { healthOf } from './health.ts'
import { SqliteLanding } from './landing.ts'
import { SqliteMoveReads } from './move-reads.ts'
import { readMoveState } from './move-state.ts'
import { SqliteNotices } from './notices.ts'
import { SqliteRegistry } from './registry.ts'
import { SqliteRejects } from './rejects.ts'
import { forgetLoss, rescueSqlite } from './rescue.ts'
import { SqliteRollupStore } from './rollup-store.ts'
import { refuseNewer } from './schema.ts'
import { SqliteShardTurns } from './shard-turns.ts'

/** Opens a store in a file; see openStore. */
export function openSqliteStore({ location, rejectsKept, turn, identity }: StoreOptions): Store {
  return asStore(usable(openSqlite(location, { turn, identity }), 'write'), rejectsKept)
}

/** Opens an existing store in a file for reading only; see openStoreReader. */
export function openSqliteStoreReader({ location, rejectsKept, identity }: StoreOptions): Store {
  return asStore(usable(openSqliteReader(location, { identity }), 'read'), rejectsKept)
}

function usable(database: Sqlite, mode: 'read' | 'write'): Sqlite {
  try {
    requireUse(readMoveState(database), mode)
    return database
  } catch (error) {
    database.close()
    throw asStoreError(error)
  }
}

/** Returns the store of a connection. */
export function asStore(database: Sqlite, rejectsKept: number): Store {
  const { value: shards } = database.prepare("SELECT value FROM setting WHERE name = 'shards'").get() as {
    value: number
  }
  const archive = new SqliteArchive(database, shards)
  const registry = new SqliteRegistry(database, shards)
  const rejects = new SqliteRejects(database, rejectsKept)
  const parts = {
    landing: withStoreErrors(new SqliteLanding(database, { archive, registry, rejects })),
    due: withStoreErrors(new SqliteDue(database, shards)),
    archive: withStoreErrors(archive),
    rollups: withStoreErrors(new SqliteRollupStore(database, shards)),
    registry: withStoreErrors(registry),
    rejects: withStoreErrors(rejects),
    erasure: withStoreErrors(new SqliteErasure(database, shards)),
    notices: withStoreErrors(new SqliteNotices(database, shards)),
    moving: withStoreErrors(new SqliteMoveReads(database, shards)),
  }
  const turns = new SqliteShardTurns(database.name)
  return {
    ...parts,
    turns,
    clock: MACHINE_CLOCK,
    health: {
      identity: identityOfConnection(database),
      ...withStoreErrors({
        origin: async () => null,
        measure: () => healthOf(database.name),
        server: async () => null,
        refuseNewer: async () => refuseNewer(database),
        requirePresent: async () => requirePresent(database),
        async requireUsable() {
          requirePresent(database)
          refuseNewer(database)
          requireStillInUse(readMoveState(database))
          requireWritable(database.name)
        },
      }),
    },
    rescue: withStoreErrors({
      save: (now: number, check: (copy: string) => Promise<void>) =>
        rescueSqlite(database, identityOfConnection(database), now, check),
      forgetLoss: () => forgetLoss(database.name),
    }),
    ...withStoreErrors({ snapshot: snapshots(database, parts), close: closes(database, turns) }),
  }
}

const closes = (database: Sqlite, turns: SqliteShardTurns) => async (): Promise<void> => {
  turns.close()
  database.close()
}

/** Runs snapshots one after another: a connection has one transaction, and its callers interleave at each `await`. */
function snapshots(database: Sqlite, view: StoreView): Snapshot {
  let last: Promise<unknown> = Promise.resolve()
  const run = async <Result>(reads: (view: StoreView) => Promise<Result>): Promise<Result> => {
    prepared(database, 'BEGIN').run()
    try {
      return await reads(view)
    } finally {
      prepared(database, 'COMMIT').run()
    }
  }
  return (reads) => {
    const result = last.then(() => run(reads))
    last = result.catch(() => undefined)
    return result
  }
}

/** Returns a proxy of the object: SQLite errors that its methods throw, or reject with, become errors of ours. */
export function withStoreErrors<Target extends object>(target: Target): Target {
  const wrapped = new WeakMap<object, unknown>()
  const fail = (error: unknown): never => {
    throw asStoreError(error)
  }
  const wrap =
    (method: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      try {
        const result = method.apply(target, args)
        return result instanceof Promise ? result.catch(fail) : result
      } catch (error) {
        return fail(error)
      }
    }
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (!wrapped.has(value)) wrapped.set(value, wrap(value as (...args: unknown[]) => unknown))
      return wrapped.get(value)
    },
    set: (_, name, value) => Reflect.set(target, name, value, target),
  })
}
