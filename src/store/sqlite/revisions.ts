import { type KeptRevision, parseStatistics, type Revision, statisticsText } from '../revision.ts'
import { prepared, type Sqlite } from './connection.ts'

/** Stored instead of erased figures. */
const ERASED = ''

/** Stores what settled device-days were before they changed. The caller opens the transaction to write in. */
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
      old: old === null || old === ERASED ? null : parseStatistics(old),
      isErased: old === ERASED,
    }))
  }

  days(devices: readonly number[], fromDay: number, toDay: number): Map<number, number[]> {
    const find = this.#sql('SELECT DISTINCT day FROM revision WHERE device = ? AND day BETWEEN ? AND ? ORDER BY day')
    const found = devices.map((device) => [device, find.pluck().all(device, fromDay, toDay) as number[]] as const)
    return new Map(found.filter(([, days]) => days.length > 0))
  }

  write(revisions: readonly Revision[], now: number): void {
    const insert = this.#sql(
      `INSERT INTO revision (device, day, number, revised_at, causes, old)
       VALUES (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE device = ? AND day = ?), ?, ?, ?)`,
    )
    for (const { device, day, causes, old } of revisions) {
      const text = causes.includes('erased') ? ERASED : old === null ? null : statisticsText(old)
      insert.run(device, day, device, day, now, JSON.stringify(causes), text)
    }
  }

  /** Erases the figures in the revisions of a device's local days (epoch days, both inclusive). */
  eraseFigures(device: number, fromDay: number, toDay: number): void {
    this.#sql('UPDATE revision SET old = ? WHERE device = ? AND day BETWEEN ? AND ? AND old IS NOT NULL').run(
      ERASED,
      device,
      fromDay,
      toDay,
    )
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
