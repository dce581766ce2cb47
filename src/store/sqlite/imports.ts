import type { ImportNote } from '../../event/import-note.ts'
import { prepared, type Sqlite } from './connection.ts'

/** Stores imports and the days on which their events landed. The caller opens the transaction to write in. */
export class SqliteImports {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** Returns the number of an import, and assigns one to a new import; 0 for no import. */
  numberOf(note: ImportNote | null): number {
    if (note === null) return 0
    const select = this.#sql('SELECT number FROM import WHERE id = ?').pluck()
    const known = select.get(note.id) as number | undefined
    if (known !== undefined) return known
    const { lastInsertRowid } = this.#sql('INSERT INTO import (id, started_at, files) VALUES (?, ?, ?)').run(
      note.id,
      note.startedAt,
      note.files,
    )
    return Number(lastInsertRowid)
  }

  /** Notes that events of an import land on a UTC day of a shard. */
  notePart(ofImport: number, shard: number, utcDay: number): void {
    if (ofImport === 0) return
    this.#sql('INSERT OR IGNORE INTO import_part (import, shard, utc_day) VALUES (?, ?, ?)').run(
      ofImport,
      shard,
      utcDay,
    )
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
