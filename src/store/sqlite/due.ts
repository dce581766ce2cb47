import { utcDayOf } from '../../base/time.ts'
import type { Due, DueCounts, DueDevice, DueSegment } from '../due.ts'
import { prepared, type Sqlite } from './connection.ts'

export class SqliteDue implements Due {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  async segments(shard: number): Promise<DueSegment[]> {
    return this.#sql(
      'SELECT segment AS id, utc_day AS utcDay FROM due_segment WHERE shard = ? ORDER BY utc_day, segment',
    ).all(shard) as DueSegment[]
  }

  async devices(shard: number): Promise<DueDevice[]> {
    const rows = this.#sql(
      'SELECT id, device, from_at AS fromAt, to_at AS toAt, cause FROM due_device WHERE shard = ? ORDER BY id',
    ).all(shard) as (Omit<DueDevice, 'causes'> & { cause: string })[]
    return rows.map(({ cause, ...due }) => ({ ...due, causes: cause === '' ? [] : cause.split(' ') }))
  }

  async shards(): Promise<number[]> {
    const rows = this.#sql('SELECT shard FROM due_segment UNION SELECT shard FROM due_device ORDER BY shard').all()
    return (rows as { shard: number }[]).map(({ shard }) => shard)
  }

  async counts(now: number): Promise<DueCounts> {
    return this.#sql(
      `SELECT (SELECT count(*) FROM due_segment) AS dueSegments, (SELECT count(*) FROM due_device) AS dueDevices,
         (SELECT count(DISTINCT utc_day) FROM due_segment WHERE utc_day < ?) AS lateDays,
         (SELECT min(first_at) FROM segment WHERE id IN (SELECT segment FROM due_segment)) AS oldestDueAt`,
    ).get(utcDayOf(now)) as DueCounts
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
