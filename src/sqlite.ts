import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { CoolerError } from './errors.ts'

export type Sqlite = Database.Database

/** Waiting for another writer's transaction ends with `store-busy` after this long. */
const BUSY_TIMEOUT_MS = 10_000
const CACHE_KIB = 64 * 1024
/** The write-ahead log is cut back to this size after a checkpoint. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/** SHARDS of a new store (DESIGN.md 7): more than the cores of a large machine, few enough to keep segments long. */
const SHARDS = 16

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

/**
 * Opens a store for writing, makes it where there is none and brings an older one up to the newest schema. Every
 * commit is durable when it returns (`synchronous = FULL`); readers and the writer do not wait for each other (WAL).
 *
 * @throws CoolerError `store-too-new` where the store was made by a newer program.
 */
export function openSqlite(file: string): Sqlite {
  mkdirSync(dirname(file), { recursive: true })
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = OFF') // the adapters write in order; checking each row would cost a look-up
    database.pragma(`cache_size = -${CACHE_KIB}`)
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens an existing store for reading only. Each statement sees the last commit before it. */
export function openSqliteReader(file: string): Sqlite {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  database.pragma(`cache_size = -${CACHE_KIB}`)
  return database
}

/** Each migration and the record of it are one transaction. */
function migrate(database: Sqlite): void {
  const steps = migrations()
  const version = () => database.pragma('user_version', { simple: true }) as number
  if (version() > steps.length) {
    throw new CoolerError(
      'store-too-new',
      `the store has schema ${version()}, this program knows up to ${steps.length}: use the newer program`,
    )
  }
  while (version() < steps.length) {
    database
      .transaction(() => {
        const next = version() // another process may have migrated while this one waited for the lock
        if (next === steps.length) return
        database.exec(steps[next])
        if (next === 0) database.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run('shards', SHARDS)
        database.pragma(`user_version = ${next + 1}`)
      })
      .immediate()
  }
}

type Statement = Database.Statement<unknown[], unknown>

const statements = new WeakMap<Sqlite, Map<string, Statement>>()

/** The prepared statement of an SQL text; prepared once for each connection. */
export function prepared(database: Sqlite, text: string): Statement {
  let ofDatabase = statements.get(database)
  if (!ofDatabase) statements.set(database, (ofDatabase = new Map()))
  let statement = ofDatabase.get(text)
  if (!statement) ofDatabase.set(text, (statement = database.prepare(text)))
  return statement
}

/** Runs `work` in one write transaction; a lock that another writer keeps and a full disk become retryable errors. */
export function writeTransaction<Result>(database: Sqlite, work: () => Result): Result {
  try {
    return database.transaction(work).immediate()
  } catch (error) {
    throw asStoreError(error)
  }
}

function asStoreError(error: unknown): unknown {
  const code = error instanceof Database.SqliteError ? error.code : ''
  if (code.startsWith('SQLITE_BUSY')) {
    return new CoolerError('store-busy', 'the store is being written by someone else: try again', { cause: error })
  }
  if (code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR')) {
    return new CoolerError(
      'store-full',
      'the store cannot be written, its disk is full or failing: make room and try again',
      { cause: error },
    )
  }
  return error
}
