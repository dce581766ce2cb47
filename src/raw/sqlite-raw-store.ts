import { prepared, type Sqlite, writeTransaction } from '../sqlite.ts'
import { utcDayOf } from '../time.ts'
import type { EventColumns } from './event-columns.ts'
import type { Counters, DueCounts, DueDevice, DueSegment, LandingGroup, RawStore, Reject } from './raw-store.ts'
import { decodeSegment, encodeSegment } from './segment-codec.ts'
import { splitByShard } from './split-by-shard.ts'
import type { SqliteRegistry } from './sqlite-registry.ts'

const COUNTER = {
  landed: 'landed',
  rejected: 'rejected',
  rejectsDropped: 'rejects dropped',
  byReason: 'rejected: ',
} as const

export class SqliteRawStore implements RawStore {
  readonly shards: number
  readonly #database: Sqlite
  readonly #registry: SqliteRegistry
  readonly #rejectsKept: number

  /** @param rejectsKept most rejected events that are kept; beyond it the oldest are dropped, and counted. */
  constructor(database: Sqlite, registry: SqliteRegistry, shards: number, rejectsKept: number) {
    this.#database = database
    this.#registry = registry
    this.shards = shards
    this.#rejectsKept = rejectsKept
  }

  async land(group: LandingGroup, landedAt: number): Promise<void> {
    try {
      writeTransaction(this.#database, () => {
        const { number, fresh } = this.#registry.register(group.ids, landedAt)
        this.#landPlacements(group, number, fresh)
        this.#landEvents(group, number)
        this.#landRejects(group, landedAt)
        this.#count(COUNTER.landed, group.count + group.placements.length)
        this.#registry.beforeCommit()
      })
    } catch (error) {
      this.#registry.rolledBack()
      throw error
    }
    this.#registry.committed()
  }

  /** Of a device that this very landing registers nothing has been rolled up yet, so its placements make nothing due. */
  #landPlacements(group: LandingGroup, number: Int32Array, fresh: Uint8Array): void {
    for (const placement of group.placements) {
      const device = number[placement.device]
      const added = this.#registry.addPlacement(device, placement)
      if (added && fresh[placement.device] === 0) this.#registry.duePlacement(device, placement.at)
    }
  }

  #landEvents(group: LandingGroup, number: Int32Array): void {
    const segment = this.#sql(
      'INSERT INTO segment (shard, utc_day, count, first_at, last_at, body) VALUES (?, ?, ?, ?, ?, ?)',
    )
    const due = this.#sql('INSERT INTO due_segment (segment, shard, utc_day) VALUES (?, ?, ?)')
    for (const { shard, utcDay, firstAt, lastAt, columns } of splitByShard(group, number, this.shards)) {
      const { lastInsertRowid } = segment.run(shard, utcDay, columns.count, firstAt, lastAt, encodeSegment(columns))
      due.run(lastInsertRowid, shard, utcDay)
    }
  }

  #landRejects(group: LandingGroup, landedAt: number): void {
    if (group.rejects.length === 0) return
    const insert = this.#sql('INSERT INTO reject (rejected_at, reason, raw_bytes, raw) VALUES (?, ?, ?, ?)')
    const byReason = new Map<string, number>()
    for (const { reason, raw, rawBytes } of group.rejects) {
      insert.run(landedAt, reason, rawBytes, raw)
      byReason.set(reason, (byReason.get(reason) ?? 0) + 1)
    }
    for (const [reason, count] of byReason) this.#count(COUNTER.byReason + reason, count)
    this.#count(COUNTER.rejected, group.rejects.length)
    // Ids follow each other without a hole, since only the oldest are ever deleted.
    const drop = this.#sql('DELETE FROM reject WHERE id <= (SELECT max(id) FROM reject) - ?')
    this.#count(COUNTER.rejectsDropped, drop.run(this.#rejectsKept).changes)
  }

  #count(name: string, by: number): void {
    if (by === 0) return
    this.#sql(
      'INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
    ).run(name, by)
  }

  async dueSegments(shard: number): Promise<DueSegment[]> {
    return this.#sql(
      'SELECT segment AS id, utc_day AS utcDay FROM due_segment WHERE shard = ? ORDER BY utc_day, segment',
    ).all(shard) as DueSegment[]
  }

  async dueDevices(shard: number): Promise<DueDevice[]> {
    return this.#sql(
      'SELECT id, device, from_at AS fromAt, to_at AS toAt FROM due_device WHERE shard = ? ORDER BY id',
    ).all(shard) as DueDevice[]
  }

  async dueShards(): Promise<number[]> {
    const rows = this.#sql('SELECT shard FROM due_segment UNION SELECT shard FROM due_device ORDER BY shard').all()
    return (rows as { shard: number }[]).map(({ shard }) => shard)
  }

  async segments(ids: readonly number[]): Promise<EventColumns[]> {
    const select = this.#sql('SELECT body FROM segment WHERE id = ?')
    return ids.map((id) => decodeSegment((select.get(id) as { body: Buffer }).body))
  }

  async segmentsOfDay(shard: number, utcDay: number): Promise<EventColumns[]> {
    const rows = this.#sql('SELECT body FROM segment WHERE shard = ? AND utc_day = ? ORDER BY id').all(shard, utcDay)
    return (rows as { body: Buffer }[]).map(({ body }) => decodeSegment(body))
  }

  async daysWithSegments(shard: number, fromUtcDay: number): Promise<number[]> {
    const rows = this.#sql(
      'SELECT DISTINCT utc_day AS utcDay FROM segment WHERE shard = ? AND utc_day >= ? ORDER BY utc_day',
    ).all(shard, fromUtcDay)
    return (rows as { utcDay: number }[]).map(({ utcDay }) => utcDay)
  }

  async counters(): Promise<Counters> {
    const rows = this.#sql('SELECT name, value FROM counter').all() as { name: string; value: number }[]
    const values = new Map(rows.map(({ name, value }) => [name, value]))
    const byReason = rows.filter(({ name }) => name.startsWith(COUNTER.byReason))
    return {
      landed: values.get(COUNTER.landed) ?? 0,
      rejected: values.get(COUNTER.rejected) ?? 0,
      rejectsDropped: values.get(COUNTER.rejectsDropped) ?? 0,
      rejectedByReason: Object.fromEntries(
        byReason.map(({ name, value }) => [name.slice(COUNTER.byReason.length), value]),
      ),
    }
  }

  async due(now: number): Promise<DueCounts> {
    return this.#sql(
      `SELECT (SELECT count(*) FROM due_segment) AS dueSegments, (SELECT count(*) FROM due_device) AS dueDevices,
         (SELECT count(DISTINCT utc_day) FROM due_segment WHERE utc_day < ?) AS lateDays`,
    ).get(utcDayOf(now)) as DueCounts
  }

  async rejects(limit: number, beforeId = Number.MAX_SAFE_INTEGER): Promise<Reject[]> {
    return this.#sql(
      `SELECT id, rejected_at AS rejectedAt, reason, raw, raw_bytes AS rawBytes FROM reject
       WHERE id < ? ORDER BY id DESC LIMIT ?`,
    ).all(beforeId, limit) as Reject[]
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
