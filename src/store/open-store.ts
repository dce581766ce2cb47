import type { ServerState } from '../base/server-state.ts'
import { isPostgres } from '../base/store-location.ts'
import type { Archive } from './archive.ts'
import type { Damage } from './damage.ts'
import type { EraseStore } from './erase-store.ts'
import type { Landing } from './landing.ts'
import type { MoveState, MoveTarget } from './moving.ts'
import type { NoticeStore } from './notices.ts'
import type { DatabaseFacts, ServerAnswer } from './postgres/inspect.ts'
import type { Registry } from './registry.ts'
import type { Rejects } from './rejects.ts'
import type { RollupStore } from './rollup-store.ts'
import type { ShardTurns } from './shard-turns.ts'
import { findDamage } from './sqlite/damage.ts'
import type { StoreHealth } from './sqlite/health.ts'
import { filesOf, type StoreIdentity } from './sqlite/identity.ts'
import { openSqliteMoveTarget, setSqliteMoveState } from './sqlite/move-target.ts'
import { openSqliteStore, openSqliteStoreReader } from './sqlite/store.ts'
import type { WriteTurnCell } from './sqlite/write-turn.ts'
import type { StoreClock } from './store-clock.ts'
import type { Snapshot, StoreView } from './view.ts'

/** Tells whether a store is still the one that was opened, and whether it can be used. */
export interface Health {
  /** The files that this connection has open; other connections of the same process must have the same. */
  readonly identity: StoreIdentity
  /** Returns the disk space that the store takes, and what is left; see healthOf. */
  measure(): Promise<StoreHealth>
  /** Returns the state of the server that holds the store; null where the engine has none. */
  server(): Promise<ServerState | null>
  /**
   * Returns a text that is the same on the replicas of a server, and on no others; null where the engine has none.
   *
   * @throws CoolerError `bad-configuration` if the role may not read it
   */
  origin(): Promise<string | null>
  /** @throws CoolerError `store-too-new` if a newer program has migrated the store, which must then not be read on */
  refuseNewer(): Promise<void>
  /** @throws CoolerError `store-gone` if the files at the store's path are not the ones that are open here */
  requirePresent(): Promise<void>
  /**
   * Refuses a store that cannot be written now.
   *
   * @throws CoolerError `store-gone`, `store-too-new`, `store-full`
   */
  requireUsable(): Promise<void>
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
  notices: NoticeStore
  turns: ShardTurns
  /** The time by which everything in the store is decided, whichever machine asks. */
  clock: StoreClock
  /** Snapshots run one after another. */
  snapshot: Snapshot
  health: Health
  /** Null where the engine keeps no file of its own. */
  rescue: Rescue | null
  close(): Promise<void>
}

export interface StoreOptions {
  /** Path of the file, which is created if it does not exist; or the URL of a database of PostgreSQL. */
  location: string
  /** Maximum number of rejected events to keep. */
  rejectsKept: number
  /** The turn shared by threads that write at the same time; none unless set. */
  turn?: WriteTurnCell
  /** The files that the store must consist of; any files unless set. */
  identity?: StoreIdentity
  /** Whether a server that only reads, a standby, will do. */
  replica?: boolean
}

/**
 * Opens a store for reading and writing, and brings its schema up to date.
 *
 * @throws CoolerError `store-too-new`, `store-foreign`, `store-gone`, `store-full`, `store-busy`, `store-damaged`
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (!isPostgres(options.location)) return openSqliteStore(options)
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(options)
}

/** Opens an existing store for reading only. @throws CoolerError as openStore; `not-found`, `bad-configuration` */
export async function openStoreReader(options: StoreOptions): Promise<Store> {
  if (!isPostgres(options.location)) return openSqliteStoreReader(options)
  const { openPostgresStoreReader } = await import('./postgres/store.ts')
  return openPostgresStoreReader(options)
}

/**
 * Opens a store as the target of a move, and creates it if it does not exist. From now on nobody else can open it, until
 * the move is finished, and earlier runs of the move can no longer write.
 *
 * @throws CoolerError as openStore; `bad-configuration` for a store that holds anything of its own
 */
export async function openMoveTarget(options: StoreOptions): Promise<MoveTarget> {
  if (!isPostgres(options.location)) return openSqliteMoveTarget(options)
  const { openPostgresMoveTarget } = await import('./postgres/store.ts')
  return openPostgresMoveTarget(options)
}

/**
 * Sets whether the source of a move may be used. Once it is `moved`, nothing that has not been committed before is
 * written, by programs that have the store open either.
 */
export async function setMoveState(options: StoreOptions, state: Exclude<MoveState, 'unfinished'>): Promise<void> {
  if (!isPostgres(options.location)) return setSqliteMoveState(options, state)
  const { setPostgresMoveState } = await import('./postgres/store.ts')
  return setPostgresMoveState(options, state)
}

// Operations on a store that need not be open, by its location.
/** Reads and checks every body and every state of a store; see findDamage of its engine. */
export async function findStoreDamage(location: string): Promise<Damage> {
  if (!isPostgres(location)) return findDamage(location)
  const { findDatabaseDamage } = await import('./postgres/damage.ts')
  return findDatabaseDamage(location)
}

/** Asks each server that a location names; see inspectServers. */
export async function inspectStoreServers(location: string): Promise<ServerAnswer[]> {
  const { inspectServers } = await import('./postgres/inspect.ts')
  return inspectServers(location)
}

/** Reads the facts of the database that a location names; see inspectDatabase. */
export async function inspectStoreDatabase(location: string): Promise<DatabaseFacts> {
  const { inspectDatabase } = await import('./postgres/inspect.ts')
  return inspectDatabase(location)
}

export {
  type CheckDepth,
  type CopyOptions,
  type CopyResult,
  copySqlite as backupStore,
  finishCopy as checkCopy,
} from './sqlite/copy.ts'
export { diskOf as storeDisk, type StoreDisk } from './sqlite/health.ts'
/** Returns the paths of all files that a store may have. */
export const filesOfStore = (location: string): string[] => (isPostgres(location) ? [] : filesOf(location))
export { isPostgres, shownLocation } from '../base/store-location.ts'
export type { Damage } from './damage.ts'
export type { DatabaseFacts, RoleRights, ServerAnswer } from './postgres/inspect.ts'
export { inspectSqlite as inspectStore, type StoreFacts } from './sqlite/inspect.ts'
export { restoreSqlite as restoreStore } from './sqlite/restore.ts'
export { newWriteTurn } from './sqlite/write-turn.ts'
