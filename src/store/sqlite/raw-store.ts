import { seal } from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'
import { utcDayOf } from '../../base/time.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import { encodeSegment } from '../codec/segment-codec.ts'
import { splitByShard } from '../codec/split-by-shard.ts'
import {
  type Compaction,
  type Counters,
  type DayAsked,
  type DueCounts,
  type DueDevice,
  type DueSegment,
  type LandingGroup,
  type RawStore,
  type Reject,
  type RejectCounts,
  type RejectFilter,
  takenFrom,
} from '../raw-store.ts'
import { SqliteCompacted } from './compacted.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'
import { SqliteCounters } from './counters.ts'
import { SqliteImports } from './imports.ts'
import type { SqliteRegistry } from './registry.ts'
import { SqliteRejects } from './rejects.ts'
import { byTime, decodeRow, SELECT_SEGMENT, type SegmentRow } from './segments.ts'

export class SqliteRawStore implements RawStore {
  readonly shards: number
  readonly #database: Sqlite
  readonly #registry: SqliteRegistry
  readonly #rejects: SqliteRejects
  readonly #compacted: SqliteCompacted
  readonly #imports: SqliteImports
  readonly #counters: SqliteCounters

  /** @param rejectsKept most rejected events that are kept; beyond it the oldest are dropped, and counted. */
  constructor(database: Sqlite, registry: SqliteRegistry, shards: number, rejectsKept: number) {
    this.#database = database
    this.#registry = registry
    this.shards = shards
    this.#rejects = new SqliteRejects(database, rejectsKept)
    this.#compacted = new SqliteCompacted(database, shards)
    this.#imports = new SqliteImports(database)
    this.#counters = new SqliteCounters(database)
  }

  async land(group: LandingGroup, landedAt: number, checkedFrom = 0): Promise<void> {
    try {
      writeTransaction(this.#database, () => {
        this.#refusePurged(group, checkedFrom)
        const ofImport = this.#imports.numberOf(group.import)
        const { number, fresh } = this.#registry.register(group.ids, landedAt, ofImport)
        this.#landPlacements(group, number, fresh, ofImport)
        this.#landEvents(group, number, ofImport)
        this.#landRejects(group, landedAt, ofImport)
        this.#counters.add('landed', group.count + group.placements.length)
        this.#registry.beforeCommit()
      })
    } catch (error) {
      this.#registry.rolledBack()
      throw error
    }
    this.#registry.committed()
  }

  /** Between the check of these events and now the raw events of their day may have been deleted: then all is checked again. */
  #refusePurged({ at, count }: LandingGroup, checkedFrom: number): void {
    const bound = takenFrom(this.#compacted.purgedBefore())
    if (bound <= checkedFrom) return
    if (at.subarray(0, count).some((instant) => instant < bound)) {
      throw new CoolerError('store-busy', 'raw events of this day have just been deleted: try again')
    }
  }

  async purgedBefore(): Promise<number> {
    return this.#compacted.purgedBefore()
  }

  /** Of a device that this very landing registers nothing has been rolled up yet, so its placements make nothing due. */
  #landPlacements(group: LandingGroup, number: Int32Array, fresh: Uint8Array, ofImport: number): void {
    for (const placement of group.placements) {
      const device = number[placement.device]
      const added = this.#registry.addPlacement(device, placement, ofImport)
      if (added && fresh[placement.device] === 0) this.#registry.duePlacement(device, placement.at)
    }
  }

  #landEvents(group: LandingGroup, number: Int32Array, ofImport: number): void {
    const segment = this.#sql(
      'INSERT INTO segment (shard, utc_day, count, first_at, last_at, body, import) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const due = this.#sql('INSERT INTO due_segment (segment, shard, utc_day) VALUES (?, ?, ?)')
    for (const { shard, utcDay, firstAt, lastAt, columns } of splitByShard(group, number, this.shards)) {
      const body = seal(encodeSegment(columns), [shard, utcDay])
      const { lastInsertRowid } = segment.run(shard, utcDay, columns.count, firstAt, lastAt, body, ofImport)
      due.run(lastInsertRowid, shard, utcDay)
      this.#imports.notePart(ofImport, shard, utcDay)
    }
  }

  #landRejects(group: LandingGroup, landedAt: number, ofImport: number): void {
    if (group.rejects.length === 0) return
    this.#counters.addRejects(group.rejects)
    this.#counters.add('rejectsDropped', this.#rejects.land(group.rejects, landedAt, ofImport))
  }

  async dueSegments(shard: number): Promise<DueSegment[]> {
    return this.#sql(
      'SELECT segment AS id, utc_day AS utcDay FROM due_segment WHERE shard = ? ORDER BY utc_day, segment',
    ).all(shard) as DueSegment[]
  }

  async dueDevices(shard: number): Promise<DueDevice[]> {
    const rows = this.#sql(
      'SELECT id, device, from_at AS fromAt, to_at AS toAt, cause FROM due_device WHERE shard = ? ORDER BY id',
    ).all(shard) as (Omit<DueDevice, 'causes'> & { cause: string })[]
    return rows.map(({ cause, ...due }) => ({ ...due, causes: cause === '' ? [] : cause.split(' ') }))
  }

  async dueShards(): Promise<number[]> {
    const rows = this.#sql('SELECT shard FROM due_segment UNION SELECT shard FROM due_device ORDER BY shard').all()
    return (rows as { shard: number }[]).map(({ shard }) => shard)
  }

  async segments(ids: readonly number[]): Promise<EventColumns[]> {
    const select = this.#sql(`${SELECT_SEGMENT} WHERE id = ?`)
    return ids.map((id) => decodeRow(select.get(id) as SegmentRow) as EventColumns)
  }

  async eventsOfDay(shard: number, utcDay: number, asked: DayAsked = {}): Promise<EventColumns[]> {
    const { rolledUp = false, onDamaged } = asked
    // Both tables in one state: a compaction that commits between two reads would hide events from both.
    const read = this.#database.transaction(() => {
      const loose = rolledUp
        ? this.#rolledUpSegments(shard, utcDay, onDamaged)
        : byTime(this.#sql(`${SELECT_SEGMENT} WHERE shard = ? AND utc_day = ?`).all(shard, utcDay), onDamaged)
      return [...this.#compacted.ofDay(shard, utcDay, asked), ...loose.map(({ columns }) => columns)]
    })
    return read()
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

  async daysToCompact(beforeUtcDay: number): Promise<{ shard: number; utcDay: number }[]> {
    const rows = this.#sql(
      `SELECT DISTINCT shard, utc_day AS utcDay FROM segment
       WHERE utc_day < ? AND id NOT IN (SELECT segment FROM due_segment) ORDER BY utc_day, shard`,
    ).all(beforeUtcDay)
    return rows as { shard: number; utcDay: number }[]
  }

  async rolledUpSegments(shard: number, utcDay: number): Promise<{ id: number; columns: EventColumns }[]> {
    return this.#rolledUpSegments(shard, utcDay)
  }

  #rolledUpSegments(
    shard: number,
    utcDay: number,
    onDamaged?: DayAsked['onDamaged'],
  ): { id: number; columns: EventColumns }[] {
    return byTime(
      this.#sql(
        `${SELECT_SEGMENT} WHERE shard = ? AND utc_day = ?
         AND id NOT IN (SELECT segment FROM due_segment WHERE shard = ? AND utc_day = ?)`,
      ).all(shard, utcDay, shard, utcDay),
      onDamaged,
    )
  }

  async compactedGroup(shard: number, utcDay: number, group: number) {
    return this.#compacted.group(shard, utcDay, group)
  }

  async compact(compaction: Compaction): Promise<boolean> {
    return this.#compacted.compact(compaction)
  }

  async pruneDay(beforeUtcDay: number) {
    return this.#compacted.pruneDay(beforeUtcDay)
  }

  async counters(): Promise<Counters> {
    return this.#counters.read()
  }

  async due(now: number): Promise<DueCounts> {
    return this.#sql(
      `SELECT (SELECT count(*) FROM due_segment) AS dueSegments, (SELECT count(*) FROM due_device) AS dueDevices,
         (SELECT count(DISTINCT utc_day) FROM due_segment WHERE utc_day < ?) AS lateDays,
         (SELECT min(first_at) FROM segment WHERE id IN (SELECT segment FROM due_segment)) AS oldestDueAt`,
    ).get(utcDayOf(now)) as DueCounts
  }

  async rejects(filter: RejectFilter): Promise<Reject[]> {
    return this.#rejects.page(filter)
  }

  async deleteRejects(ids: readonly number[]): Promise<void> {
    this.#rejects.delete(ids)
  }

  async rejectsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts> {
    return this.#rejects.of(deviceId, fromAt, toAt)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
