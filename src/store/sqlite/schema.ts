import { CoolerError } from '../../base/errors.ts'
import { prepared, type Sqlite } from './database.ts'
import { migrations, newestVersion } from './migrations.ts'
import { APPLICATION_ID, foreign } from './recognise.ts'

/** SHARDS of a new store (DESIGN.md 7): more than the cores of a large machine, few enough to keep segments long. */
const SHARDS = 16

/** Of the schema that the store has now. */
export const versionOf = (database: Sqlite): number =>
  (prepared(database, 'PRAGMA user_version').get() as { user_version: number }).user_version

/** Whether a database is a store of ours, of whatever version; not so an empty file. */
export const isStore = (database: Sqlite): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'setting'").get() !== undefined

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
 * Marks a new store, or one of a program that set no mark, as ours. Before the write-ahead log begins, so that the mark
 * of a new store is in the file itself.
 *
 * @throws CoolerError `store-foreign` where another program has put tables there since the file was looked at
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
