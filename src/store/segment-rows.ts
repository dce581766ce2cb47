import type { EventColumns } from '../event/event-columns.ts'
import type { DayAsked } from './archive.ts'
import { decodeSegment } from './codec/segment-codec.ts'
import { decodeBody } from './damaged-events.ts'

/** A segment that has been read. */
export interface Segment {
  id: number
  columns: EventColumns
}

/**
 * Decodes segments in the order of their last events. Events come late but not early, so a segment lands near its last
 * event. Several threads land one day in any order; in this order the events, concatenated, are nearly sorted. (An engine
 * would sort the bodies, too.)
 */
export function byTime(rows: SegmentRow[], asked: Pick<DayAsked, 'known' | 'onDamaged' | 'arena'>): Segment[] {
  return rows
    .sort((one, other) => one.lastAt - other.lastAt || one.id - other.id)
    .flatMap((row) => {
      const columns = asked.known?.get(row.id) ?? decodeRow(row, asked)
      return columns === null ? [] : [{ id: row.id, columns }]
    })
}

/** A stored segment; its body is empty if the caller knows its events. */
export interface SegmentRow {
  id: number
  shard: number
  utcDay: number
  count: number
  lastAt: number
  ofImport: number
  body: Buffer
}

/** Returns the events of a row, sealed for its shard and UTC day; null if damaged and `onDamaged` was called. */
export function decodeRow(
  { body, shard, utcDay, count, ofImport }: SegmentRow,
  { onDamaged, arena }: Pick<DayAsked, 'onDamaged' | 'arena'> = {},
): EventColumns | null {
  const stored = { body, shard, damage: { utcDay, events: count, group: null } }
  return decodeBody(stored, [shard, utcDay], (bytes) => decodeSegment(bytes, ofImport, arena), onDamaged)
}
