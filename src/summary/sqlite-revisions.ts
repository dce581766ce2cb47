import { prepared, type Sqlite } from '../sqlite.ts'
import { type KeptRevision, parseStatistics, type Revision, statisticsText } from './revision.ts'

/** The table of what settled device-days were before they changed. Whoever writes does so in a transaction of its own. */
export class SqliteRevisions {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  of(device: number, day: number): KeptRevision[] {
    const rows = this.#sql(
      'SELECT number, revised_at AS revisedAt, causes, old FROM revision WHERE device = ? AND day = ? ORDER BY number',
    ).all(device, day) as { number: number; revisedAt: number; causes: string; old: string | null }[]
    return rows.map(({ causes, old, ...row }) => ({
      ...row,
      device,
      day,
      causes: JSON.parse(causes),
      old: old === null ? null : parseStatistics(old),
    }))
  }

  write(revisions: readonly Revision[], now: number): void {
    const insert = this.#sql(
      `INSERT INTO revision (device, day, number, revised_at, causes, old)
       VALUES (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE device = ? AND day = ?), ?, ?, ?)`,
    )
    for (const { device, day, causes, old } of revisions) {
      insert.run(device, day, device, day, now, JSON.stringify(causes), old === null ? null : statisticsText(old))
    }
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
