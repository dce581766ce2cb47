import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { type EventColumns, NO_SEQ } from '../event/event-columns.ts'
import { compareRows, type OrderedColumns, sortRows } from '../event/event-order.ts'
import { type ReadableEvent, readableEvent } from '../event/readable-event.ts'
import type { ArchiveReads } from './archive.ts'

/** A landed event; `at` is its instant, epoch ms. */
export interface LandedEvent {
  at: number
  event: ReadableEvent
  /** Whether it repeats the event before it. */
  isRepeat: boolean
}

/** Which events of a device to read: from `fromAt` up to before `toAt`, epoch ms. */
export interface EventSpan {
  fromAt: number
  toAt: number
}

/**
 * Yields the landed events of one device in order (RULES.md 2), repeats included. Costs reading 16 devices on each UTC
 * day, or the device's whole shard on days that are not compacted.
 */
export async function* deviceEvents(
  archive: ArchiveReads,
  device: number,
  { fromAt, toAt }: EventSpan,
): AsyncGenerator<LandedEvent> {
  const shard = device % archive.shards
  let utcDay = await archive.nextDay(shard, utcDayOf(fromAt))
  for (; utcDay !== null; utcDay = await archive.nextDay(shard, utcDay + 1)) {
    const midnight = utcDay * millisecondsInDay
    if (midnight >= toAt) return
    const segments = await archive.eventsOfDay(shard, utcDay, { devices: [device] })
    const events = gather(segments, device, { fromAt: fromAt - midnight, toAt: toAt - midnight })
    const { order } = events
    for (const [nth, row] of order.entries()) {
      const at = midnight + events.at[row]
      const isRepeat = nth > 0 && compareRows(events, order[nth - 1], row) === 0
      yield { at, event: readableEvent(events, row, at), isRepeat }
    }
  }
}

/** The events of a device on one UTC day, as columns, and their rows in order. */
interface Gathered extends OrderedColumns {
  addresses: Map<number, string>
  order: Int32Array
}

function gather(segments: readonly EventColumns[], device: number, span: EventSpan): Gathered {
  const rowsOf = segments.map((columns) => rowsOfDevice(columns, device, span))
  const count = rowsOf.reduce((sum, { length }) => sum + length, 0)
  const events = {
    at: new Int32Array(count),
    kind: new Uint8Array(count),
    a: new Int32Array(count),
    b: new Int32Array(count),
    seq: new Float64Array(count),
    addresses: new Map<number, string>(),
    order: Int32Array.from({ length: count }, (_, row) => row),
  }
  let target = 0
  for (const [nth, { at, kind, a, b, seq, addresses }] of segments.entries()) {
    for (const row of rowsOf[nth]) {
      events.at[target] = at[row]
      events.kind[target] = kind[row]
      events.a[target] = a[row]
      events.b[target] = b[row]
      events.seq[target] = seq?.[row] ?? NO_SEQ
      const address = addresses?.get(row)
      if (address !== undefined) events.addresses.set(target, address)
      target++
    }
  }
  sortRows(events, events.order, 0, count)
  return events
}

function rowsOfDevice({ count, device, at }: EventColumns, wanted: number, { fromAt, toAt }: EventSpan): number[] {
  const rows: number[] = []
  for (let row = 0; row < count; row++) {
    if (device[row] === wanted && at[row] >= fromAt && at[row] < toAt) rows.push(row)
  }
  return rows
}
