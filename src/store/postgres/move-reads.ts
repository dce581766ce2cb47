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
import { FIRST_KEPT_DAY } from './guard.ts'
import { readMoveState } from './move-state.ts'
import { readMessageMarks, readMovedMessages, readNotices, readToldDays } from './moved-notices.ts'
import { numberOf } from './numbers.ts'
import { int, type Session } from './session.ts'

type DeviceRow = Omit<MovedDevice, 'id' | 'number'> & { shard: number; local: number; id: Buffer }
type PlacementRow = Omit<MovedPlacement, 'address'> & { address: Buffer | null }
type RejectRow = Omit<MovedReject, 'deviceId' | 'raw' | 'reason'> & {
  deviceId: Buffer | null
  raw: Buffer
  reason: Reason
}

const textOf = (bytes: Buffer | null): string | null => bytes && decodeText(bytes)

export class PostgresMoveReads implements MoveReads {
  readonly #session: Session
  readonly #shards: number

  constructor(session: Session, shards: number) {
    this.#session = session
    this.#shards = shards
  }

  state(): Promise<MoveState> {
    return readMoveState(this.#session)
  }

  /** Keys begin with the shard, so each shard is looked up by itself. */
  get #eachShard(): string {
    return `generate_series(0, ${int(this.#shards - 1)}) AS asked (shard)`
  }

  async devices({ from, to }: NumberRange): Promise<MovedDevice[]> {
    const rows = await this.#session.rows<DeviceRow>(
      `SELECT device.shard, local, id, registered_at AS "registeredAt", retired_at AS "retiredAt",
         import AS "ofImport", erased_at AS "erasedAt", labels
       FROM ${this.#eachShard} JOIN device ON device.shard = asked.shard AND local >= $1 AND local < $2
       ORDER BY local, device.shard`,
      [from / this.#shards, to / this.#shards],
    )
    return rows.map(({ shard, local, id, ...row }) => ({
      number: numberOf(shard, local, this.#shards),
      id: row.erasedAt === null ? decodeText(id) : null,
      ...row,
    }))
  }

  async placements({ from, to }: NumberRange): Promise<MovedPlacement[]> {
    const rows = await this.#session.rows<PlacementRow>(
      `SELECT device, at, seq, lat, lon, zone, address, removed_at AS "removedAt", sources
       FROM ${this.#eachShard} JOIN placement ON placement.shard = asked.shard AND device >= $1 AND device < $2
       ORDER BY device, at, seq, lat, lon, zone COLLATE "C"`,
      [from, to],
    )
    return rows.map(({ address, ...row }) => ({ ...row, address: textOf(address) }))
  }

  revisions({ from, to }: NumberRange): Promise<MovedRevision[]> {
    return this.#session.rows<MovedRevision>(
      `SELECT device, day, number, revised_at AS "revisedAt", causes, old
       FROM ${this.#eachShard} JOIN revision ON revision.shard = asked.shard AND device >= $1 AND device < $2
       ORDER BY device, day, number`,
      [from, to],
    )
  }

  segments(of?: ShardDay): Promise<SegmentNote[]> {
    const ofDay = of === undefined ? '' : `AND segment.shard = ${int(of.shard)} AND segment.utc_day = ${int(of.utcDay)}`
    return this.#session.rows<SegmentNote>(
      `SELECT segment.shard, segment.utc_day AS "utcDay", id, import AS "ofImport", count, due_segment.segment IS NOT NULL AS "isDue"
       FROM segment LEFT JOIN due_segment ON due_segment.shard = segment.shard
         AND due_segment.utc_day = segment.utc_day AND due_segment.segment = id
       WHERE segment.shard >= 0 AND segment.utc_day >= ${FIRST_KEPT_DAY} ${ofDay}
       ORDER BY segment.shard, segment.utc_day, id`,
    )
  }

  async compactedDays(utcDay?: number): Promise<Map<number, CompactedDay>> {
    const marks = new DayMarks()
    const events = new Map<number, number>()
    const ofDay = utcDay === undefined ? '' : `AND utc_day = ${int(utcDay)}`
    await this.#session.copyOut(
      `SELECT utc_day, id, count FROM compacted WHERE shard >= 0 AND utc_day >= ${FIRST_KEPT_DAY} ${ofDay}
       ORDER BY shard, utc_day, device_group`,
      (row) => {
        const [day, id, count] = [0, 1, 2].map((field) => row.int(field))
        marks.add(day, `${id} ${count}`)
        events.set(day, (events.get(day) ?? 0) + count)
      },
    )
    return new Map([...marks.all()].map(([day, mark]) => [day, { mark, events: events.get(day) ?? 0 }]))
  }

  async compacted(shard: number, utcDay: number): Promise<EventColumns[]> {
    const found: EventColumns[] = []
    await this.#session.copyOut(
      `SELECT device_group, count, body FROM compacted WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)}
       ORDER BY device_group`,
      (row) => {
        const [group, count] = [row.int(0), row.int(1)]
        try {
          found.push(decodeCompacted(unseal(row.bytes(2), [shard, utcDay, group])))
        } catch (error) {
          throw damagedEvents(shard, { utcDay, events: count, group }, error)
        }
      },
    )
    return found
  }

  async rollupDays(): Promise<Map<number, string>> {
    const marks = new DayMarks()
    await this.#session.copyOut(
      `SELECT day, shard || ' ' || block || ' ' || length(body) || ' ' || encode(substr(body, length(body) - 7), 'hex')
       FROM rollup_block WHERE shard >= 0 ORDER BY shard, block, day`,
      (row) => marks.add(row.int(0), row.text(1)),
    )
    return marks.all()
  }

  async rejects(after: number, limit: number): Promise<MovedReject[]> {
    const rows = await this.#session.rows<RejectRow>(
      `SELECT id, rejected_at AS "rejectedAt", reason, raw, raw_bytes AS "rawBytes", device_id AS "deviceId", at,
         import AS "ofImport" FROM reject WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    )
    return rows.map(({ deviceId, raw, ...row }) => ({ ...row, raw: decodeText(raw), deviceId: textOf(deviceId) }))
  }

  async lastRejectId(): Promise<number> {
    const [{ last }] = await this.#session.rows<{ last: number }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM reject_id_seq',
    )
    return last
  }

  async rejectIds(): Promise<number[]> {
    const rows = await this.#session.rows<{ id: number }>('SELECT id FROM reject ORDER BY id')
    return rows.map(({ id }) => id)
  }

  toldDays(day: number | null = null): Promise<Map<number, string>> {
    return readToldDays(this.#session, day)
  }

  notices(): Promise<KeptNotice[]> {
    return readNotices(this.#session)
  }

  messageMarks(): Promise<Map<string, string>> {
    return readMessageMarks(this.#session)
  }

  messages(ids: readonly string[]): Promise<MovedMessage[]> {
    return readMovedMessages(this.#session, ids)
  }
}
