import { CoolerError } from '../../base/errors.ts'
import { prepared, type Sqlite } from './database.ts'
import { migrations, newestVersion } from './migrations.ts'
import { APPLICATION_ID, foreign } from './recognise.ts'

/** Shards of a new store (DESIGN.md 7): more than the cores of a large machine, few enough to keep segments long. */
const SHARDS = 16

/** Returns the schema version recorded in the store (`user_version`). */
export const versionOf = (database: Sqlite): number =>
  (prepared(database, 'PRAGMA user_version').get() as { user_version: number }).user_version

/** Tells whether a database is a store of ours, of any version; false for an empty file. */
export const isStore = (database: Sqlite): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'setting'").get() !== undefined

/** Refuses a store with a newer schema. @throws CoolerError `store-too-new` */
export function refuseNewer(database: Sqlite): void {
  const version = versionOf(database)
  if (version <= newestVersion()) return
  throw new CoolerError(
    'store-too-new',
    `the store has schema ${version}, this program knows up to ${newestVersion()}: use the newer program`,
  )
}

/** Migrates a store to the newest schema. Each migration and its record are one transaction. */
export function migrate(database: Sqlite): void {
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

/**
 * Marks a store as ours if it is new, or if a program that set no mark made it. Call it before the write-ahead log
 * begins, so that the mark of a new store is in the file itself.
 *
 * @throws CoolerError `store-foreign` if another program has created tables there since the file was recognised
 */
export function mark(database: Sqlite, file: string): void {
  const isMarked = (): boolean => database.pragma('application_id', { simple: true }) === APPLICATION_ID
  if (isMarked()) return
  database
    .transaction(() => {
      if (isMarked()) return
      const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
      if (!isEmpty && !isStore(database)) throw foreign(file, 'it is a database of another program')
      database.pragma(`application_id = ${APPLICATION_ID}`)
    })
    .immediate()
}
