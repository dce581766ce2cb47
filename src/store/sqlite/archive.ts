import type { EventColumns } from '../../event/event-columns.ts'
import type { Archive, CompactedBody, Compaction, DayAsked, SegmentsAsked } from '../archive.ts'
import { isDamage } from '../damaged-events.ts'
import type { DueSegment } from '../due.ts'
import { byTime, decodeRow, type Segment, type SegmentRow } from '../segment-rows.ts'
import { SqliteCompacted } from './compacted.ts'
import { prepared, type Sqlite } from './connection.ts'
import { SELECT_SEGMENT, selectUnknown } from './select-segments.ts'

const DUE_SEGMENTS = 'SELECT segment FROM due_segment WHERE shard = ? AND utc_day = ?'

export class SqliteArchive implements Archive {
  readonly shards: number
  readonly #database: Sqlite
  readonly #compacted: SqliteCompacted

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.shards = shards
    this.#compacted = new SqliteCompacted(database, shards)
  }

  async purgedBefore(): Promise<number> {
    return this.purged()
  }

  /** Returns purgedBefore synchronously, for a landing that asks within its transaction. */
  purged(): number {
    return this.#compacted.purgedBefore()
  }

  async segments(
    _shard: number,
    asked: readonly DueSegment[],
    { onDamaged, arena }: SegmentsAsked = {},
  ): Promise<Map<number, EventColumns>> {
    const select = this.#sql(`${SELECT_SEGMENT} WHERE id = ?`)
    const segments = new Map<number, EventColumns>()
    for (const { id } of asked) {
      try {
        segments.set(id, decodeRow(select.get(id) as SegmentRow, { arena }) as EventColumns)
      } catch (error) {
        if (onDamaged === undefined || !isDamage(error)) throw error
        onDamaged(id, error)
      }
    }
    return segments
  }

  async eventsOfDay(shard: number, utcDay: number, asked: DayAsked = {}): Promise<EventColumns[]> {
    // Reads both tables in one state: a compaction that commits in between would hide its events from both reads.
    const read = this.#database.transaction(() => {
      const compacted = asked.which === 'due' ? [] : this.#compacted.ofDay(shard, utcDay, asked)
      return [...compacted, ...this.#segmentsOfDay(shard, utcDay, asked).map(({ columns }) => columns)]
    })
    return read()
  }

  #segmentsOfDay(shard: number, utcDay: number, asked: DayAsked): Segment[] {
    if (asked.which === 'rolled-up') return this.#rolledUpSegments(shard, utcDay, asked)
    const knownIds = JSON.stringify([...(asked.known?.keys() ?? [])])
    const where = asked.which === 'due' ? `id IN (${DUE_SEGMENTS})` : 'shard = ? AND utc_day = ?'
    return byTime(this.#sql(`${selectUnknown} WHERE ${where}`).all(knownIds, shard, utcDay) as SegmentRow[], asked)
  }

  async nextDay(shard: number, fromUtcDay: number): Promise<number | null> {
    const loose = this.#sql('SELECT min(utc_day) AS day FROM segment WHERE shard = ? AND utc_day >= ?')
    const { day } = loose.get(shard, fromUtcDay) as { day: number | null }
    const compacted = this.#compacted.nextDay(shard, fromUtcDay)
    return day === null || compacted === null ? (day ?? compacted) : Math.min(day, compacted)
  }

  async lastDay(shard: number, toUtcDay: number): Promise<number | null> {
    const loose = this.#sql('SELECT max(utc_day) AS day FROM segment WHERE shard = ? AND utc_day <= ?')
    const { day } = loose.get(shard, toUtcDay) as { day: number | null }
    const compacted = this.#compacted.lastDay(shard, toUtcDay)
    return day === null || compacted === null ? (day ?? compacted) : Math.max(day, compacted)
  }

  async daysToCompact(beforeUtcDay: number, shard?: number): Promise<{ shard: number; utcDay: number }[]> {
    const rows = this.#sql(
      `SELECT DISTINCT shard, utc_day AS utcDay FROM segment
       WHERE ${shard === undefined ? '' : 'shard = ? AND'} utc_day < ? AND id NOT IN (SELECT segment FROM due_segment) ORDER BY utc_day, shard`,
    ).all(...(shard === undefined ? [] : [shard]), beforeUtcDay)
    return rows as { shard: number; utcDay: number }[]
  }

  async rolledUpSegments(shard: number, utcDay: number): Promise<Segment[]> {
    return this.#rolledUpSegments(shard, utcDay)
  }

  #rolledUpSegments(shard: number, utcDay: number, asked: DayAsked = {}): Segment[] {
    const where = `shard = ? AND utc_day = ? AND id NOT IN (${DUE_SEGMENTS})`
    return byTime(
      this.#sql(`${SELECT_SEGMENT} WHERE ${where}`).all(shard, utcDay, shard, utcDay) as SegmentRow[],
      asked,
    )
  }

  async compactedGroups(shard: number, utcDay: number, groups: readonly number[]) {
    const bodies = new Map<number, CompactedBody>()
    for (const group of groups) {
      const body = this.#compacted.group(shard, utcDay, group)
      if (body !== null) bodies.set(group, body)
    }
    return bodies
  }

  /** A file needs no preparation. */
  async prepareDays(): Promise<void> {}

  async compact(compaction: Compaction): Promise<boolean> {
    return this.#compacted.compact(compaction)
  }

  async pruneDay(beforeUtcDay: number) {
    return this.#compacted.pruneDay(beforeUtcDay)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
