import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { CoolerError } from '../../base/errors.ts'
import { requireStillInUse } from '../moving.ts'
import { makeOwnFile } from './copy-pages.ts'
import type { Sqlite } from './database.ts'
import { asStoreError, unwritable } from './errors.ts'
import { identityOf, inodeOf, requireAtItsPlace, type StoreIdentity } from './identity.ts'
import { newestVersion } from './migrations.ts'
import { readMoveState } from './move-state.ts'
import { recognise } from './recognise.ts'
import { requireNoRescue } from './rescue.ts'
import { mark, migrate, refuseNewer, versionOf } from './schema.ts'
import { boundWal, WAL_LIMIT_BYTES } from './wal.ts'
import { WriteTurn, type WriteTurnCell } from './write-turn.ts'

export { prepared, type Sqlite } from './database.ts'

/** How long to wait for another writer's transaction before failing with `store-busy`. */
const BUSY_TIMEOUT_MS = 10_000
const CACHE_KIB = 64 * 1024

/** Name of the counter of registry changes; exported because the version of reports includes it. */
export const REGISTRY_VERSION = 'registry version'
/** The counter of changes of labels. */
export const LABELS_VERSION = 'labels version'

/** Options for opening a connection to a store. */
export interface OpenOptions {
  /** The turn shared by the threads of one process that write a lot. */
  turn?: WriteTurnCell | undefined
  /** The files that the store must consist of; other files are refused with `store-gone`. */
  identity?: StoreIdentity | undefined
}

/**
 * Opens a store for writing. Creates it if there is none (mode 0600, its folder 0700), and migrates an older one to the
 * newest schema. Every commit is durable when it returns (`synchronous = FULL`). Readers and the writer do not wait for
 * each other (WAL).
 *
 * @throws CoolerError `store-too-new` if a newer program made the store; `store-foreign` if the file is something else
 * (it is left unchanged); `store-gone` if the files differ from those of `identity`, or if the store is missing and a
 * rescued one lies next to it; `store-busy`, `store-full`, `store-damaged`
 */
export function openSqlite(file: string, { turn, identity }: OpenOptions = {}): Sqlite {
  // A file that is moved away while it is opened must not be made anew.
  return opened(file, { fileMustExist: identity !== undefined }, identity, () => {
    if (identity === undefined) makePlace(file)
    requireWritable(file)
    return (database) => {
      if (turn) turns.set(database, new WriteTurn(turn))
      mark(database, file)
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = OFF') // the adapters write in order; checking each row would cost a look-up
      database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
      // Deleted rows are overwritten within pages that stay in use, if that costs no write (see overwrite.ts).
      database.pragma('secure_delete = FAST')
      migrate(database)
    }
  })
}

export interface ReaderOptions extends Pick<OpenOptions, 'identity'> {
  /** Opens stores of older versions, too, so that they can be copied. */
  anyVersion?: boolean
}

/**
 * Opens an existing store for reading only. Each statement sees the last commit before it.
 *
 * @throws CoolerError as openSqlite; `not-found` if there is no store, `bad-configuration` if its schema is older
 */
export function openSqliteReader(file: string, { identity, anyVersion = false }: ReaderOptions = {}): Sqlite {
  return opened(file, { readonly: true, fileMustExist: true }, identity, () => {
    if (identity === undefined) requireStore(file)
    return (database) => {
      refuseNewer(database)
      if (anyVersion || versionOf(database) === newestVersion()) return
      throw new CoolerError(
        'bad-configuration',
        `${file} has schema ${versionOf(database)}, this program reads ${newestVersion()}: make a backup (cooler backup), then` +
          ' start a service, or run any command that writes: it brings the store up to date',
      )
    }
  })
}

/** Requires that a store exists. @throws CoolerError `not-found`, `store-foreign` */
export function requireStore(file: string): void {
  if (recognise(file)) return
  throw new CoolerError(
    'not-found',
    `there is no store at ${resolve(file)}: name another file in COOLER_STORE, or start a service or \`cooler ingest\`, which make one`,
  )
}

/** @param prepare called before anything is opened; returns the function that sets up the open database */
function opened(
  file: string,
  options: Database.Options,
  identity: StoreIdentity | undefined,
  prepare: () => (database: Sqlite) => void,
): Sqlite {
  let database: Sqlite | undefined
  try {
    if (identity !== undefined) requireAtItsPlace(file, identity)
    const finish = prepare()
    const before = inodeOf(file)
    database = new Database(file, { timeout: BUSY_TIMEOUT_MS, ...options })
    database.pragma(`cache_size = -${CACHE_KIB}`)
    finish(database)
    // From its first read on, nobody can replace the file (see restore.ts). If it was replaced before, this connection
    // holds the old file, and would create its own write-ahead log next to the new one.
    if (before !== null && inodeOf(file) !== before) {
      throw new CoolerError('store-busy', 'the store has been replaced while it was opened: try again')
    }
    identities.set(database, identityOf(file))
    if (identity !== undefined) requireAtItsPlace(file, identity)
    return database
  } catch (error) {
    database?.close()
    if (identity !== undefined) requireAtItsPlace(file, identity)
    throw asStoreError(error)
  }
}

/** The files that each connection has open. */
const identities = new WeakMap<Sqlite, StoreIdentity>()

/** Returns the files that a connection has open. */
export const identityOfConnection = (database: Sqlite): StoreIdentity => identities.get(database) ?? []

/** Requires that the open files are still in place. @throws CoolerError `store-gone` */
export function requirePresent(database: Sqlite): void {
  requireAtItsPlace(database.name, identityOfConnection(database))
}

/** SQLite's name for a database in memory that ends with its connection; tests use it. */
const IN_MEMORY = ':memory:'

/** Makes an empty file that only its owner can access, and its folder. SQLite gives its own files the same mode. */
function makePlace(file: string): void {
  if (file === IN_MEMORY || recognise(file) || existsSync(file)) return
  requireNoRescue(file)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    makeOwnFile(file)
  } catch (error) {
    throw cannotWrite(error)
  }
}

/** Requires a writable file, as SQLite would fail only at the first write. @throws CoolerError `store-full` */
export function requireWritable(file: string): void {
  if (file === IN_MEMORY) return
  try {
    // The folder, too: SQLite creates the write-ahead log next to the store.
    for (const path of [file, dirname(resolve(file))]) accessSync(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw cannotWrite(error)
  }
}

function cannotWrite(error: unknown): CoolerError {
  const { code, message } = error as NodeJS.ErrnoException
  // Leaves out the path, because callers of the API read this.
  return unwritable(code === undefined ? message : `${code}: ${message.slice(code.length + 2).split(',')[0]}`, error)
}

/** The turns of connections that take turns to write within their process. */
const turns = new WeakMap<Sqlite, WriteTurn>()

/**
 * Runs `work` in one write transaction. A lock held by another writer and a full disk become retryable errors. Writes
 * nothing if a newer program has migrated the store since it was opened here, or if the file is no longer in its place.
 * A commit made just as the file disappeared is not acknowledged.
 *
 * @throws CoolerError `store-busy`, `store-full`, `store-damaged`, `store-too-new`, `store-gone`
 */
export function writeTransaction<Result>(database: Sqlite, work: () => Result): Result {
  const guarded = (): Result => {
    refuseNewer(database)
    requireStillInUse(readMoveState(database))
    return work()
  }
  const write = (): Result => {
    requirePresent(database)
    const result = database.transaction(guarded).immediate()
    requirePresent(database)
    boundWal(database)
    return result
  }
  try {
    const turn = turns.get(database)
    return turn ? turn.run(write) : write()
  } catch (error) {
    throw asStoreError(error)
  }
}
