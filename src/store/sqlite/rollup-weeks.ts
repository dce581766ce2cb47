import { decodeBlock } from '../codec/block-codec.ts'
import type { BlockBodies } from '../codec/block-columns.ts'
import { encodeWeek } from '../codec/week-codec.ts'
import type { BlockRow, WeekRow } from '../rollup-store.ts'
import { placeOfWeek, WEEK_DAYS, weekOf } from '../week.ts'
import { prepared, type Sqlite } from './connection.ts'

/** A run of rows, concatenated: how many they are, and their first and last key. */
interface Run {
  bytes: Buffer | null
  count: number
  first: number
  last: number
}

/** Stores the sums of blocks over weeks, and reads ranges of days by them. */
export class SqliteRollupWeeks {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** Returns bodies that add up to the rollups of these days: the sums of whole weeks that are kept, and single days. */
  bodies(shard: number, block: number, fromDay: number, toDay: number): BlockBodies[] {
    const firstWeek = weekOf(fromDay + WEEK_DAYS - 1)
    const lastWeek = weekOf(toDay + 1) - 1
    const weeks = firstWeek > lastWeek ? [] : this.#weeks(shard, block, firstWeek, lastWeek)
    const bodies: BlockBodies[] = []
    let from = fromDay
    for (const week of weeks) {
      if (from < week.first * WEEK_DAYS) bodies.push(this.#days(shard, block, from, week.first * WEEK_DAYS - 1))
      bodies.push(week.bodies)
      from = (week.last + 1) * WEEK_DAYS
    }
    if (from <= toDay) bodies.push(this.#days(shard, block, from, toDay))
    return bodies
  }

  /** Returns the kept weeks in runs without gaps, ascending. */
  #weeks(shard: number, block: number, firstWeek: number, lastWeek: number) {
    const { bytes, count, first, last } = this.#run('rollup_week', 'week', [shard, block, firstWeek, lastWeek])
    if (bytes === null) return []
    if (last - first + 1 > count) {
      return this.of(shard, block, first, last).map(({ week, body }) => runOf(shard, block, body, week, week))
    }
    return [runOf(shard, block, bytes, first, last)]
  }

  #days(shard: number, block: number, fromDay: number, toDay: number): BlockBodies {
    const { bytes, count, first, last } = this.#run('rollup_block', 'day', [shard, block, fromDay, toDay])
    let days = Array.from({ length: count }, (_, index) => first + index)
    if (count > 0 && last - first + 1 > count) {
      const select = this.#sql(
        'SELECT day FROM rollup_block WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day',
      )
      days = select.pluck().all(shard, block, first, last) as number[]
    }
    return { bytes: bytes ?? Buffer.alloc(0), shard, block, days }
  }

  /** Reads the bodies of a block from one key to another, ascending. */
  #run(table: string, key: 'day' | 'week', of: [shard: number, block: number, from: number, to: number]): Run {
    // group_concat keeps the bytes of a BLOB. The index gives the order of keys; ORDER BY would copy the bodies.
    return this.#sql(
      `SELECT CAST(group_concat(body, '') AS BLOB) AS bytes, count(*) AS count, min(${key}) AS first, max(${key}) AS last
       FROM ${table} INDEXED BY sqlite_autoindex_${table}_1
       WHERE shard = ? AND block = ? AND ${key} BETWEEN ? AND ?`,
    ).get(...of) as Run
  }

  /** Returns the kept weeks of a block from one week to another, ascending. */
  of(shard: number, block: number, fromWeek: number, toWeek: number): WeekRow[] {
    return this.#sql(
      'SELECT week, body FROM rollup_week WHERE shard = ? AND block = ? AND week BETWEEN ? AND ? ORDER BY week',
    ).all(shard, block, fromWeek, toWeek) as WeekRow[]
  }

  /** Returns the weeks of a shard, by block, that end before a day and have rollups but no sums. */
  missing(shard: number, beforeDay: number): Map<number, number[]> {
    const rows = this.#sql(
      `SELECT DISTINCT block, day / ${WEEK_DAYS} AS week FROM rollup_block WHERE shard = ? AND day < ?
       EXCEPT SELECT block, week FROM rollup_week WHERE shard = ? ORDER BY block, week`,
    ).all(shard, weekOf(beforeDay) * WEEK_DAYS, shard) as { block: number; week: number }[]
    const missing = new Map<number, number[]>()
    for (const { block, week } of rows) {
      const weeks = missing.get(block)
      if (weeks) weeks.push(week)
      else missing.set(block, [week])
    }
    return missing
  }

  /** Returns the body of a week's sums, from its stored days. @throws CoolerError `store-damaged` */
  sum(shard: number, block: number, week: number): Buffer {
    const rows = this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day',
    ).all(shard, block, week * WEEK_DAYS, week * WEEK_DAYS + WEEK_DAYS - 1) as BlockRow[]
    const days = rows.map(({ day, body }) => decodeBlock(body, [shard, block, day]))
    return encodeWeek(days, placeOfWeek(shard, block, week))
  }

  /** Writes the sums of a week that has none. Call it in the transaction that has checked the shard's version. */
  keep(shard: number, block: number, week: number, body: Buffer): void {
    const insert = 'INSERT INTO rollup_week (shard, block, week, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
    this.#sql(insert).run(shard, block, week, body)
  }

  /** Deletes the sums that a day is in. Call it in the transaction that changes the day. */
  forget(shard: number, block: number, day: number): void {
    this.#sql('DELETE FROM rollup_week WHERE shard = ? AND block = ? AND week = ?').run(shard, block, weekOf(day))
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

function runOf(shard: number, block: number, bytes: Buffer, first: number, last: number) {
  const days = Array.from({ length: last - first + 1 }, (_, index) => ~(first + index))
  return { first, last, bodies: { bytes, shard, block, days } }
}
