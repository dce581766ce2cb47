import type { EventColumns } from '../../event/event-columns.ts'
import type { DayAsked } from '../archive.ts'
import { decodeSegment } from '../codec/segment-codec.ts'
import { decodeBody } from '../damaged-events.ts'

/**
 * Segments by their last event, near which they landed, since events come late but not early. Several threads land one
 * day in any order; in this one the events, one segment behind the other, are nearly sorted. (SQLite would sort bodies
 * and all.)
 */
export function byTime(rows: unknown[], onDamaged?: DayAsked['onDamaged']): { id: number; columns: EventColumns }[] {
  return (rows as SegmentRow[])
    .sort((one, other) => one.lastAt - other.lastAt || one.id - other.id)
    .flatMap((row) => {
      const columns = decodeRow(row, onDamaged)
      return columns === null ? [] : [{ id: row.id, columns }]
    })
}

export const SELECT_SEGMENT =
  'SELECT id, shard, utc_day AS utcDay, count, last_at AS lastAt, import AS ofImport, body FROM segment'

export interface SegmentRow {
  id: number
  shard: number
  utcDay: number
  count: number
  lastAt: number
  ofImport: number
  body: Buffer
}

/** Returns the events of a row, null where they are damaged and `onDamaged` was told so. A body is sealed for its shard and UTC day. */
export function decodeRow(
  { body, shard, utcDay, count, ofImport }: SegmentRow,
  onDamaged?: DayAsked['onDamaged'],
): EventColumns | null {
  const stored = { body, shard, damage: { utcDay, events: count, group: null } }
  return decodeBody(stored, [shard, utcDay], (bytes) => decodeSegment(bytes, ofImport), onDamaged)
}
