import { utcDayOf } from '../../base/time.ts'
import type { Due, DueCounts, DueDevice, DueSegment } from '../due.ts'
import { prepared, type Sqlite } from './connection.ts'

export class SqliteDue implements Due {
  readonly #database: Sqlite
  readonly #shards: number

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
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
    const isDue = this.#sql(
      `SELECT EXISTS (SELECT 1 FROM due_segment WHERE shard = @shard) OR EXISTS (SELECT 1 FROM due_device WHERE shard = @shard)`,
    ).pluck()
    return this.#allShards().filter((shard) => isDue.get({ shard }) === 1)
  }

  #allShards(): number[] {
    return Array.from({ length: this.#shards }, (_, shard) => shard)
  }

  async counts(now: number): Promise<DueCounts> {
    const totals = this.#sql(
      'SELECT (SELECT count(*) FROM due_segment) AS dueSegments, (SELECT count(*) FROM due_device) AS dueDevices',
    ).get() as Pick<DueCounts, 'dueSegments' | 'dueDevices'>
    const days = this.#allShards().flatMap((shard) => this.#dueDays(shard))
    const late = new Set(days.map(({ utcDay }) => utcDay).filter((utcDay) => utcDay < utcDayOf(now)))
    const oldestDueAt = days.reduce((least, { firstAt }) => Math.min(least, firstAt), Infinity)
    return { ...totals, lateDays: late.size, oldestDueAt: days.length === 0 ? null : oldestDueAt }
  }

  /** Returns the first instant of each UTC day with due segments. Costs a look-up for each day, however many segments. */
  #dueDays(shard: number): { utcDay: number; firstAt: number }[] {
    const next = this.#sql(
      `SELECT utc_day AS utcDay, first_at AS firstAt FROM due_segment WHERE shard = ? AND utc_day > ?
       ORDER BY utc_day, first_at LIMIT 1`,
    )
    const days: { utcDay: number; firstAt: number }[] = []
    let day = next.get(shard, Number.MIN_SAFE_INTEGER) as (typeof days)[number] | undefined
    for (; day !== undefined; day = next.get(shard, day.utcDay) as typeof day) days.push(day)
    return days
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
