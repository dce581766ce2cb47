import type { Archive } from './archive.ts'
import type { EraseStore } from './erase-store.ts'
import type { Landing } from './landing.ts'
import type { Registry } from './registry.ts'
import type { Rejects } from './rejects.ts'
import type { RollupStore } from './rollup-store.ts'
import { SqliteArchive } from './sqlite/archive.ts'
import {
  identityOfConnection,
  openSqlite,
  openSqliteReader,
  prepared,
  requirePresent,
  requireWritable,
  type Sqlite,
} from './sqlite/connection.ts'
import { SqliteDue } from './sqlite/due.ts'
import { SqliteErasure } from './sqlite/erasure.ts'
import { asStoreError } from './sqlite/errors.ts'
import { healthOf, type StoreHealth } from './sqlite/health.ts'
import type { StoreIdentity } from './sqlite/identity.ts'
import { SqliteLanding } from './sqlite/landing.ts'
import { SqliteRegistry } from './sqlite/registry.ts'
import { SqliteRejects } from './sqlite/rejects.ts'
import { forgetLoss, rescueSqlite } from './sqlite/rescue.ts'
import { SqliteRollupStore } from './sqlite/rollup-store.ts'
import { refuseNewer } from './sqlite/schema.ts'
import type { WriteTurnCell } from './sqlite/write-turn.ts'
import type { Snapshot, StoreView } from './view.ts'

/** Tells whether a store is still the one that was opened, and whether it can be used. */
export interface Health {
  /** The files that this connection has open; other connections of the same process must have the same. */
  readonly identity: StoreIdentity
  /** Returns the disk space that the store takes, and what is left; see healthOf. */
  measure(): Promise<StoreHealth>
  /** @throws CoolerError `store-too-new` if a newer program has migrated the store, which must then not be read on */
  refuseNewer(): void
  /** @throws CoolerError `store-gone` if the files at the store's path are not the ones that are open here */
  requirePresent(): void
  /**
   * Refuses a store that cannot be written now.
   *
   * @throws CoolerError `store-gone`, `store-too-new`, `store-full`
   */
  requireUsable(): void
}

/** Saves a store whose file was moved, removed or replaced while it was open. */
export interface Rescue {
  /** Saves a store that is gone; see rescueSqlite. */
  save(now: number, check: (copy: string) => Promise<void>): Promise<string | null>
  /** Forgets an earlier loss of the store, so that another one is rescued too; call it once its files are in place. */
  forgetLoss(): void
}

/** One connection to a whole store, by roles. Do not share it between threads; its calls run one after another. */
export interface Store extends StoreView {
  landing: Landing
  archive: Archive
  rollups: RollupStore
  registry: Registry
  rejects: Rejects
  erasure: EraseStore
  /** Snapshots run one after another. */
  snapshot: Snapshot
  health: Health
  rescue: Rescue
  close(): void
}

export interface StoreOptions {
  /** Path of the file, which is created if it does not exist. */
  location: string
  /** Maximum number of rejected events to keep. */
  rejectsKept: number
  /** The turn shared by threads that write at the same time; none unless set. */
  turn?: WriteTurnCell
  /** The files that the store must consist of; any files unless set. */
  identity?: StoreIdentity
}

/**
 * Opens a store for reading and writing, and brings its schema up to date.
 *
 * @throws CoolerError `store-too-new`, `store-foreign`, `store-gone`, `store-full`, `store-busy`, `store-damaged`
 */
export function openStore({ location, rejectsKept, turn, identity }: StoreOptions): Store {
  return asStore(openSqlite(location, { turn, identity }), rejectsKept)
}

/** Opens an existing store for reading only. @throws CoolerError as openStore; `not-found`, `bad-configuration` */
export function openStoreReader({ location, rejectsKept, identity }: StoreOptions): Store {
  return asStore(openSqliteReader(location, { identity }), rejectsKept)
}

function asStore(database: Sqlite, rejectsKept: number): Store {
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
  }
  return {
    ...parts,
    health: {
      identity: identityOfConnection(database),
      ...withStoreErrors({
        measure: () => healthOf(database.name),
        refuseNewer: () => refuseNewer(database),
        requirePresent: () => requirePresent(database),
        requireUsable() {
          requirePresent(database)
          refuseNewer(database)
          requireWritable(database.name)
        },
      }),
    },
    rescue: withStoreErrors({
      save: (now: number, check: (copy: string) => Promise<void>) =>
        rescueSqlite(database, identityOfConnection(database), now, check),
      forgetLoss: () => forgetLoss(database.name),
    }),
    ...withStoreErrors({ snapshot: snapshots(database, parts), close: () => void database.close() }),
  }
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
function withStoreErrors<Target extends object>(target: Target): Target {
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

// Operations on a store that need not be open, by its location.
export {
  type CheckDepth,
  type CopyOptions,
  type CopyResult,
  copySqlite as backupStore,
  finishCopy as checkCopy,
} from './sqlite/copy.ts'
export { type Damage, findDamage as findStoreDamage } from './sqlite/damage.ts'
export { diskOf as storeDisk, type StoreDisk } from './sqlite/health.ts'
export { filesOf as filesOfStore } from './sqlite/identity.ts'
export { inspectSqlite as inspectStore, type StoreFacts } from './sqlite/inspect.ts'
export { restoreSqlite as restoreStore } from './sqlite/restore.ts'
export { newWriteTurn } from './sqlite/write-turn.ts'
