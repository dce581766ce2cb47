import { type BodyPlace, seal } from '../../base/checksum.ts'
import { millisecondsInDay } from '../../base/time.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import { type Compaction, type DayAsked, LONGEST_DAY_MS } from '../archive.ts'
import { decodeCompacted, decodeCompactedDevice, encodeCompacted } from '../codec/compact-codec.ts'
import { groupOf } from '../codec/device-group.ts'
import { decodeBody, type StoredBody } from '../damaged-events.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'

/** Name of the setting with the instant before which raw events have been deleted. */
export const PURGED_BEFORE = 'purged before'

/** Both tables of raw events. */
const TABLES = ['segment', 'compacted'] as const

const SELECT = 'SELECT id, device_group AS deviceGroup, count, body FROM compacted'

interface CompactedRow {
  id: number
  deviceGroup: number
  count: number
  body: Buffer
}

const asStored = ({ body, count, deviceGroup }: CompactedRow, shard: number, utcDay: number): StoredBody => ({
  body,
  shard,
  damage: { utcDay, events: count, group: deviceGroup },
})

/** Returns the place that a body is sealed for. */
const bodyPlaceOf = ({ deviceGroup }: CompactedRow, shard: number, utcDay: number): BodyPlace => [
  shard,
  utcDay,
  deviceGroup,
]

/** Stores compacted raw events, and the instant before which raw events have been deleted. */
export class SqliteCompacted {
  readonly #database: Sqlite
  readonly #shards: number

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
  }

  /** Returns the events of a shard on one UTC day: of all devices, or of the given ones and some others. */
  ofDay(shard: number, utcDay: number, { devices, onDamaged }: DayAsked = {}): EventColumns[] {
    const decode = (row: CompactedRow, decoder: (body: Buffer) => EventColumns): EventColumns[] => {
      const columns = decodeBody(asStored(row, shard, utcDay), bodyPlaceOf(row, shard, utcDay), decoder, onDamaged)
      return columns === null ? [] : [columns]
    }
    if (devices === undefined) {
      const rows = this.#sql(`${SELECT} WHERE shard = ? AND utc_day = ? ORDER BY device_group`).all(shard, utcDay)
      return (rows as CompactedRow[]).flatMap((row) => decode(row, decodeCompacted))
    }
    const wanted = new Map<number, number[]>()
    for (const device of devices) {
      const group = groupOf(device, this.#shards)
      const members = wanted.get(group)
      if (members) members.push(device)
      else wanted.set(group, [device])
    }
    return [...wanted].flatMap(([group, members]) => {
      const row = this.#row(shard, utcDay, group)
      if (row === undefined) return []
      return decode(row, members.length === 1 ? (body) => decodeCompactedDevice(body, members[0]) : decodeCompacted)
    })
  }

  #row(shard: number, utcDay: number, group: number): CompactedRow | undefined {
    const select = this.#sql(`${SELECT} WHERE shard = ? AND utc_day = ? AND device_group = ?`)
    return select.get(shard, utcDay, group) as CompactedRow | undefined
  }

  nextDay(shard: number, fromUtcDay: number): number | null {
    const select = this.#sql('SELECT min(utc_day) AS day FROM compacted WHERE shard = ? AND utc_day >= ?')
    return (select.get(shard, fromUtcDay) as { day: number | null }).day
  }

  lastDay(shard: number, toUtcDay: number): number | null {
    const select = this.#sql('SELECT max(utc_day) AS day FROM compacted WHERE shard = ? AND utc_day <= ?')
    return (select.get(shard, toUtcDay) as { day: number | null }).day
  }

  group(shard: number, utcDay: number, group: number): { id: number; columns: EventColumns } | null {
    const row = this.#row(shard, utcDay, group)
    if (row === undefined) return null
    const columns = decodeBody(asStored(row, shard, utcDay), bodyPlaceOf(row, shard, utcDay), decodeCompacted)
    return { id: row.id, columns: columns as EventColumns }
  }

  /** Encodes the bodies before the transaction begins, so that it holds the lock only while writing. */
  compact({ shard, utcDay, segments, groups }: Compaction): boolean {
    const bodies = groups.map(({ group, columns }) => seal(encodeCompacted(columns), [shard, utcDay, group]))
    const insert = this.#sql('INSERT INTO compacted (shard, utc_day, device_group, count, body) VALUES (?, ?, ?, ?, ?)')
    return allOrNothing(this.#database, () => {
      const gone = this.#sql('DELETE FROM segment WHERE id = ?')
      for (const id of segments) if (gone.run(id).changes !== 1) return false
      const replaced = this.#sql('DELETE FROM compacted WHERE id = ?')
      const present = this.#sql('SELECT 1 FROM compacted WHERE shard = ? AND utc_day = ? AND device_group = ?')
      for (const [index, { group, replaces, columns }] of groups.entries()) {
        if (replaces !== null && replaced.run(replaces).changes !== 1) return false
        if (present.get(shard, utcDay, group) !== undefined) return false
        insert.run(shard, utcDay, group, columns.count, bodies[index])
      }
      return true
    })
  }

  /** Returns the instant (epoch ms) before which raw events have been deleted; 0 for none. */
  purgedBefore(): number {
    const row = this.#sql('SELECT value FROM setting WHERE name = ?').get(PURGED_BEFORE) as
      | { value: number }
      | undefined
    return row?.value ?? 0
  }

  pruneDay(beforeUtcDay: number): { utcDay: number; events: number } | null {
    return writeTransaction(this.#database, () => {
      const day = this.#firstDay()
      if (day >= beforeUtcDay || this.#dueBefore((day + 1) * millisecondsInDay)) return null
      const events = this.#delete(day)
      this.#sql('INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
        PURGED_BEFORE,
        (day + 1) * millisecondsInDay,
      )
      return { utcDay: day, events }
    })
  }

  #firstDay(): number {
    let first = Infinity
    for (const table of TABLES) {
      const select = this.#sql(`SELECT min(utc_day) AS day FROM ${table} WHERE shard = ?`)
      for (let shard = 0; shard < this.#shards; shard++) {
        const { day } = select.get(shard) as { day: number | null }
        first = Math.min(first, day ?? Infinity)
      }
    }
    return first
  }

  /** Deletes a UTC day of all shards and returns the number of its events. */
  #delete(utcDay: number): number {
    let events = 0
    for (const table of TABLES) {
      const sum = this.#sql(`SELECT coalesce(sum(count), 0) AS count FROM ${table} WHERE shard = ? AND utc_day = ?`)
      const remove = this.#sql(`DELETE FROM ${table} WHERE shard = ? AND utc_day = ?`)
      for (let shard = 0; shard < this.#shards; shard++) {
        events += (sum.get(shard, utcDay) as { count: number }).count
        remove.run(shard, utcDay)
      }
    }
    return events
  }

  /** Tells whether due work, or a day that has not closed, may reach back before an instant. */
  #dueBefore(instant: number): boolean {
    const due = this.#sql(
      `SELECT EXISTS (SELECT 1 FROM due_segment WHERE utc_day < ?) OR EXISTS (SELECT 1 FROM due_device WHERE from_at < ?)
       OR EXISTS (SELECT 1 FROM rollup_block WHERE next_close_at IS NOT NULL AND next_close_at < ?) AS due`,
    )
    const reach = instant + LONGEST_DAY_MS
    return (due.get(reach / millisecondsInDay, reach, reach) as { due: number }).due === 1
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
