import { unseal } from '../../base/checksum.ts'
import { decodeText } from '../../base/text-bytes.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import type { Reason } from '../../event/reasons.ts'
import { decodeCompacted } from '../codec/compact-codec.ts'
import { damagedEvents } from '../damaged-events.ts'
import { DayMarks } from '../day-marks.ts'
import type { ShardDay } from '../erase-store.ts'
import type {
  CompactedDay,
  MovedDevice,
  MovedMessage,
  MovedPlacement,
  MovedReject,
  MovedRevision,
  MoveReads,
  MoveState,
  NumberRange,
  SegmentNote,
} from '../moving.ts'
import type { KeptNotice } from '../notices.ts'
import { prepared, type Sqlite } from './database.ts'
import { readMoveState } from './move-state.ts'
import { readMessageMarks, readMovedMessages, readNotices, readToldDays } from './moved-notices.ts'

type DeviceRow = Omit<MovedDevice, 'id'> & { id: Buffer }
type PlacementRow = Omit<MovedPlacement, 'address'> & { address: Buffer | null }
type RejectRow = Omit<MovedReject, 'deviceId' | 'reason'> & { deviceId: Buffer | null; reason: Reason }

const textOf = (bytes: Buffer | null): string | null => bytes && decodeText(bytes)

export class SqliteMoveReads implements MoveReads {
  readonly #database: Sqlite
  /** All shards, as JSON. */
  readonly #shards: string

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = JSON.stringify(Array.from({ length: shards }, (_, shard) => shard))
  }

  async state(): Promise<MoveState> {
    return readMoveState(this.#database)
  }

  async devices({ from, to }: NumberRange): Promise<MovedDevice[]> {
    const rows = this.#sql(
      `SELECT number, id, registered_at AS registeredAt, retired_at AS retiredAt, import AS ofImport,
         erased_at AS erasedAt, labels FROM device WHERE number >= ? AND number < ? ORDER BY number`,
    ).all(from, to) as DeviceRow[]
    return rows.map(({ id, ...row }) => ({ ...row, id: row.erasedAt === null ? decodeText(id) : null }))
  }

  async placements({ from, to }: NumberRange): Promise<MovedPlacement[]> {
    const rows = this.#sql(
      `SELECT device, at, seq, lat, lon, zone, address, removed_at AS removedAt, sources FROM placement
       WHERE device >= ? AND device < ? ORDER BY device, at, seq, lat, lon, zone`,
    ).all(from, to) as PlacementRow[]
    return rows.map(({ address, ...row }) => ({ ...row, address: textOf(address) }))
  }

  async revisions({ from, to }: NumberRange): Promise<MovedRevision[]> {
    return this.#sql(
      `SELECT device, day, number, revised_at AS revisedAt, causes, old FROM revision
       WHERE device >= ? AND device < ? ORDER BY device, day, number`,
    ).all(from, to) as MovedRevision[]
  }

  async segments(of?: ShardDay): Promise<SegmentNote[]> {
    const ofDay = of === undefined ? '' : 'WHERE segment.shard = ? AND segment.utc_day = ?'
    const rows = this.#sql(
      `SELECT segment.shard, segment.utc_day AS utcDay, id, import AS ofImport, count, due_segment.segment AS due
       FROM segment LEFT JOIN due_segment ON due_segment.segment = id ${ofDay}
       ORDER BY segment.shard, segment.utc_day, id`,
    ).all(...(of === undefined ? [] : [of.shard, of.utcDay])) as (Omit<SegmentNote, 'isDue'> & { due: number | null })[]
    return rows.map(({ due, ...row }) => ({ ...row, isDue: due !== null }))
  }

  async compactedDays(utcDay?: number): Promise<Map<number, CompactedDay>> {
    const marks = new DayMarks()
    const events = new Map<number, number>()
    const rows =
      utcDay === undefined
        ? this.#sql('SELECT utc_day AS day, id, count FROM compacted ORDER BY shard, utc_day, device_group').iterate()
        : this.#sql(
            `SELECT utc_day AS day, compacted.id, count FROM json_each(?) AS asked JOIN compacted
             ON shard = asked.value AND utc_day = ? ORDER BY shard, device_group`,
          ).iterate(this.#shards, utcDay)
    for (const row of rows) {
      const { day, id, count } = row as { day: number; id: number; count: number }
      marks.add(day, `${id} ${count}`)
      events.set(day, (events.get(day) ?? 0) + count)
    }
    return new Map([...marks.all()].map(([day, mark]) => [day, { mark, events: events.get(day) ?? 0 }]))
  }

  async compacted(shard: number, utcDay: number): Promise<EventColumns[]> {
    const rows = this.#sql(
      `SELECT device_group AS "group", count, body FROM compacted WHERE shard = ? AND utc_day = ? ORDER BY device_group`,
    ).all(shard, utcDay) as { group: number; count: number; body: Buffer }[]
    return rows.map(({ group, count, body }) => {
      try {
        return decodeCompacted(unseal(body, [shard, utcDay, group]))
      } catch (error) {
        throw damagedEvents(shard, { utcDay, events: count, group }, error)
      }
    })
  }

  async rollupDays(): Promise<Map<number, string>> {
    const marks = new DayMarks()
    const select = this.#sql(
      `SELECT day, shard || ' ' || block || ' ' || length(body) || ' ' || lower(hex(substr(body, -8))) AS mark
       FROM rollup_block ORDER BY shard, block, day`,
    )
    for (const row of select.iterate()) {
      const { day, mark } = row as { day: number; mark: string }
      marks.add(day, mark)
    }
    return marks.all()
  }

  async rejects(after: number, limit: number): Promise<MovedReject[]> {
    const rows = this.#sql(
      `SELECT id, rejected_at AS rejectedAt, reason, raw, raw_bytes AS rawBytes, device_id AS deviceId, at,
         import AS ofImport FROM reject WHERE id > ? ORDER BY id LIMIT ?`,
    ).all(after, limit) as RejectRow[]
    return rows.map(({ deviceId, ...row }) => ({ ...row, deviceId: textOf(deviceId) }))
  }

  async rejectIds(): Promise<number[]> {
    return this.#sql('SELECT id FROM reject ORDER BY id').pluck().all() as number[]
  }

  async lastRejectId(): Promise<number> {
    const last = this.#sql("SELECT seq FROM sqlite_sequence WHERE name = 'reject'").pluck().get()
    return (last as number | undefined) ?? 0
  }

  async toldDays(day: number | null = null): Promise<Map<number, string>> {
    return readToldDays(this.#database, day)
  }

  async notices(): Promise<KeptNotice[]> {
    return readNotices(this.#database)
  }

  async messageMarks(): Promise<Map<string, string>> {
    return readMessageMarks(this.#database)
  }

  async messages(ids: readonly string[]): Promise<MovedMessage[]> {
    return readMovedMessages(this.#database, ids)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
