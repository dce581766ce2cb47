import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { CoolerError } from './errors.ts'
import { boundWal, WAL_LIMIT_BYTES } from './sqlite-wal.ts'
import { WriteTurn, type WriteTurnCell } from './write-turn.ts'

export type Sqlite = Database.Database

/** Waiting for another writer's transaction ends with `store-busy` after this long. */
const BUSY_TIMEOUT_MS = 10_000
const CACHE_KIB = 64 * 1024
/** SHARDS of a new store (DESIGN.md 7): more than the cores of a large machine, few enough to keep segments long. */
const SHARDS = 16

/** The counter of the registry's changes: it is for those, too, who read reports. */
export const REGISTRY_VERSION = 'registry version'

/** schema/ lies at the project's root, beside src/ and dist/. */
function migrationsFolder(): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))
  return `${root}/schema/sqlite`
}

/** The SQL texts that lead from an empty file to the newest schema; the n-th leads to `user_version` n. */
export function migrations(): string[] {
  const folder = migrationsFolder()
  const files = readdirSync(folder).filter((name) => /^\d{3}-.*\.sql$/.test(name))
  return files.sort().map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
}

let newest: number | undefined

/** Version of the newest schema: what this program writes. */
export function newestVersion(): number {
  newest ??= migrations().length
  return newest
}

/**
 * Opens a store for writing, makes it where there is none and brings an older one up to the newest schema. Every
 * commit is durable when it returns (`synchronous = FULL`); readers and the writer do not wait for each other (WAL).
 * Threads of one process that write much share a `turn`.
 *
 * @throws CoolerError `store-too-new` where the store was made by a newer program; `store-busy`, `store-full`,
 * `store-damaged`
 */
export function openSqlite(file: string, turn?: WriteTurnCell): Sqlite {
  mkdirSync(dirname(file), { recursive: true })
  return opened(file, {}, (database) => {
    if (turn) turns.set(database, new WriteTurn(turn))
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = OFF') // the adapters write in order; checking each row would cost a look-up
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    // Deleted rows are overwritten within pages that stay in use, where that costs no write (see sqlite-overwrite.ts).
    database.pragma('secure_delete = FAST')
    migrate(database)
  })
}

/**
 * Opens an existing store for reading only. Each statement sees the last commit before it.
 *
 * @throws CoolerError as openSqlite
 */
export function openSqliteReader(file: string): Sqlite {
  return opened(file, { readonly: true, fileMustExist: true }, refuseNewer)
}

function opened(file: string, options: Database.Options, prepare: (database: Sqlite) => void): Sqlite {
  let database: Sqlite | undefined
  const before = inodeOf(file)
  try {
    database = new Database(file, { timeout: BUSY_TIMEOUT_MS, ...options })
    database.pragma(`cache_size = -${CACHE_KIB}`)
    prepare(database)
    // Once it has been read, nobody can replace it (see sqlite-restore.ts). Before, someone may have: then this
    // connection holds the old file, and would put a write-ahead log of its own beside the new one.
    if (before !== null && inodeOf(file) !== before) {
      throw new CoolerError('store-busy', 'the store has been replaced while it was opened: try again')
    }
    return database
  } catch (error) {
    database?.close()
    throw asStoreError(error)
  }
}

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null

/** Of the schema that the store has now. */
export const versionOf = (database: Sqlite): number =>
  (prepared(database, 'PRAGMA user_version').get() as { user_version: number }).user_version

/** Whether a database is a store of ours, of whatever version; not so an empty file. */
export const isStore = (database: Sqlite): boolean =>
  prepared(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'setting'").get() !== undefined

/** @throws CoolerError `store-too-new` */
export function refuseNewer(database: Sqlite): void {
  const version = versionOf(database)
  if (version <= newestVersion()) return
  throw new CoolerError(
    'store-too-new',
    `the store has schema ${version}, this program knows up to ${newestVersion()}: use the newer program`,
  )
}

/** Each migration and the record of it are one transaction. */
function migrate(database: Sqlite): void {
  const steps = migrations()
  const version = () => versionOf(database)
  while (version() < steps.length) {
    database
      .transaction(() => {
        const next = version() // another process may have migrated while this one waited for the lock
        if (next >= steps.length) return
        database.exec(steps[next])
        if (next === 0) database.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run('shards', SHARDS)
        database.pragma(`user_version = ${next + 1}`)
      })
      .immediate()
  }
  refuseNewer(database)
}

type Statement = Database.Statement<unknown[], unknown>

/** Of connections that share their process's turn to write. */
const turns = new WeakMap<Sqlite, WriteTurn>()

const statements = new WeakMap<Sqlite, Map<string, Statement>>()

/** The prepared statement of an SQL text; prepared once for each connection. */
export function prepared(database: Sqlite, text: string): Statement {
  let ofDatabase = statements.get(database)
  if (!ofDatabase) statements.set(database, (ofDatabase = new Map()))
  let statement = ofDatabase.get(text)
  if (!statement) ofDatabase.set(text, (statement = database.prepare(text)))
  return statement
}

/**
 * Runs `work` in one write transaction; a lock that another writer keeps and a full disk become retryable errors.
 * A newer program may have migrated the store since it was opened here: then nothing is written any more.
 *
 * @throws CoolerError `store-busy`, `store-full`, `store-damaged`, `store-too-new`
 */
export function writeTransaction<Result>(database: Sqlite, work: () => Result): Result {
  const guarded = (): Result => {
    refuseNewer(database)
    return work()
  }
  const write = (): Result => {
    const result = database.transaction(guarded).immediate()
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

/** Besides a full disk: one that fails, has become read-only, or takes no further file. */
const CANNOT_WRITE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/
/** PROTOCOL: too many others were at the lock at the same time. */
const IS_BUSY = /^SQLITE_(BUSY|PROTOCOL)/

/** Whether an error tells that the file is no store, or no longer a whole one. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

/** What SQLite tells, as an error of ours where there is one for it. */
export function asStoreError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  if (IS_BUSY.test(error.code)) {
    return new CoolerError('store-busy', 'the store is being written by someone else: try again', { cause: error })
  }
  if (CANNOT_WRITE.test(error.code)) {
    return new CoolerError(
      'store-full',
      `the store cannot be written (${error.message}): make room, or see to its disk and its rights, and try again`,
      { cause: error },
    )
  }
  if (isDamage(error)) {
    return new CoolerError(
      'store-damaged',
      `the store is damaged (${error.message}): stop what runs on it and restore a backup`,
      { cause: error },
    )
  }
  return error
}
