import { millisecondsInDay, utcDayOf } from '../time.ts'
import { ABSENT, type EventColumns, Kind, NO_SEQ, totalOf } from './event-columns.ts'
import type { RawStore } from './raw-store.ts'

/** A landed event as people read it: kept values, in the fields that a producer sends. */
export type ReadableEvent = { at: string; type: string; seq?: number } & Record<string, unknown>

/**
 * The landed events of one device from `fromAt` up to before `toAt` (epoch ms), repeats included, by `at`. Costs the
 * reading of 16 devices on each UTC day of the span, of the device's whole shard on days that are not compacted.
 */
export async function* deviceEvents(
  raw: RawStore,
  device: number,
  { fromAt, toAt }: { fromAt: number; toAt: number },
): AsyncGenerator<ReadableEvent> {
  const shard = device % raw.shards
  let utcDay = await raw.nextDay(shard, utcDayOf(fromAt))
  for (; utcDay !== null; utcDay = await raw.nextDay(shard, utcDay + 1)) {
    const midnight = utcDay * millisecondsInDay
    if (midnight >= toAt) return
    const events: { at: number; event: ReadableEvent }[] = []
    for (const columns of await raw.eventsOfDay(shard, utcDay, { devices: [device] })) {
      for (let row = 0; row < columns.count; row++) {
        const at = midnight + columns.at[row]
        if (columns.device[row] === device && at >= fromAt && at < toAt)
          events.push({ at, event: readable(columns, row, at) })
      }
    }
    for (const { event } of events.sort((one, other) => one.at - other.at)) yield event
  }
}

function readable(columns: EventColumns, row: number, at: number): ReadableEvent {
  const seq = columns.seq?.[row] ?? NO_SEQ
  const address = columns.addresses?.get(row)
  return {
    at: new Date(at).toISOString(),
    ...(seq === NO_SEQ ? {} : { seq }),
    ...readableFields(columns.kind[row], columns.a[row], columns.b[row]),
    ...(address === undefined ? {} : { address }),
  }
}

/** The type and the kept values of an event of that kind and columns (see event-columns.ts), as a producer sends them. */
export function readableFields(kind: number, a: number, b: number): { type: string } & Record<string, unknown> {
  switch (kind) {
    case Kind.doorState:
      return { type: 'door', open: a === 1 }
    case Kind.doorCount:
      return { type: 'door', count: a }
    case Kind.temperature:
      return {
        type: 'temperature',
        ...(a === ABSENT ? {} : { celsius: a / 1000 }),
        ...(b === ABSENT ? {} : { setpoint: b / 1000 }),
      }
    case Kind.power:
      return { type: 'power', on: a === 1 }
    case Kind.fix:
      return { type: 'gps', lat: a / 1e7, lon: b / 1e7 }
    case Kind.visitorCount:
      return { type: 'visitor', count: a }
    default:
      return { type: 'visitor', total: totalOf(a, b) }
  }
}
