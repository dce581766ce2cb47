import type { RawStore } from './raw/raw-store.ts'
import type { Registry } from './raw/registry.ts'
import { SqliteRawStore } from './raw/sqlite-raw-store.ts'
import { SqliteRegistry } from './raw/sqlite-registry.ts'
import { openSqlite, openSqliteReader, refuseNewer, type Sqlite } from './sqlite.ts'
import { copySqlite } from './sqlite-copy.ts'
import { SqliteErasure } from './sqlite-erasure.ts'
import { inspectSqlite } from './sqlite-inspect.ts'
import { restoreSqlite } from './sqlite-restore.ts'
import type { EraseStore } from './summary/erase-store.ts'
import type { ReportStore } from './summary/report-store.ts'
import { SqliteReportStore } from './summary/sqlite-report-store.ts'
import type { WriteTurnCell } from './write-turn.ts'

/** One connection to a store, in whole. Not to be shared between threads; its calls run one after the other. */
export interface Store {
  raw: RawStore
  registry: Registry
  report: ReportStore
  erasure: EraseStore
  /** Runs reads that all see one state of the store; not to be nested. */
  snapshot<Result>(reads: () => Promise<Result>): Promise<Result>
  /** @throws CoolerError `store-too-new` where a newer program has migrated it meanwhile: it is not to be read on. */
  refuseNewer(): void
  close(): void
}

export interface StoreOptions {
  /** A file; made where it is not there. */
  location: string
  /** Most rejected events that are kept. */
  rejectsKept: number
  /** Of threads that write beside each other; none unless set. */
  turn?: WriteTurnCell
}

/** Opens a store for reading and writing, and brings its schema up to date. @throws CoolerError `store-too-new` */
export function openStore({ location, rejectsKept, turn }: StoreOptions): Store {
  return asStore(openSqlite(location, turn), rejectsKept)
}

/** Opens an existing store for reading only. */
export function openStoreReader({ location, rejectsKept }: StoreOptions): Store {
  return asStore(openSqliteReader(location), rejectsKept)
}

function asStore(database: Sqlite, rejectsKept: number): Store {
  const { value: shards } = database.prepare("SELECT value FROM setting WHERE name = 'shards'").get() as {
    value: number
  }
  const registry = new SqliteRegistry(database, shards)
  return {
    raw: new SqliteRawStore(database, registry, shards, rejectsKept),
    registry,
    report: new SqliteReportStore(database, shards),
    erasure: new SqliteErasure(database, shards),
    async snapshot(reads) {
      database.exec('BEGIN')
      try {
        return await reads()
      } finally {
        database.exec('COMMIT')
      }
    },
    refuseNewer: () => refuseNewer(database),
    close: () => void database.close(),
  }
}

export type { CheckDepth, CopyOptions, CopyResult } from './sqlite-copy.ts'
export type { StoreFacts } from './sqlite-inspect.ts'

/** One state of a store as a file of its own, while others write it; see copySqlite. */
export const backupStore = copySqlite

/** A backup put in a store's place, while nobody has that open; see restoreSqlite. */
export const restoreStore = restoreSqlite

/** What can be told of a store's file without opening it as one; see inspectSqlite. */
export const inspectStore = inspectSqlite
