import { formatInstant } from '../base/time.ts'
import { ABSENT, type EventColumns, Kind, NO_SEQ, totalOf } from './event-columns.ts'
import type { Placement } from './placement.ts'

/** An event as people read it: kept values, in the fields that a producer sends. */
export type ReadableEvent = { at: string; type: string; seq?: number } & Record<string, unknown>

/** What is read of a row; `at` of columns may count from any instant. */
type ReadColumns = Pick<EventColumns, 'kind' | 'a' | 'b' | 'seq'> & { addresses: ReadonlyMap<number, string> | null }

/** The event of a row, which happened at that instant (epoch ms). */
export function readableEvent({ kind, a, b, seq, addresses }: ReadColumns, row: number, at: number): ReadableEvent {
  return readable(at, seq?.[row] ?? NO_SEQ, readableFields(kind[row], a[row], b[row]), addresses?.get(row) ?? null)
}

export function readablePlacement({ at, seq, lat, lon, zone, address }: Placement): ReadableEvent {
  const timezone = zone === '' ? {} : { timezone: zone }
  return readable(at, seq, { type: 'placement', lat: lat / 1e7, lon: lon / 1e7, ...timezone }, address)
}

type Fields = { type: string } & Record<string, unknown>

function readable(at: number, seq: number, fields: Fields, address: string | null): ReadableEvent {
  return {
    at: formatInstant(at),
    ...(seq === NO_SEQ ? {} : { seq }),
    ...fields,
    ...(address === null ? {} : { address }),
  }
}

/** The type and the kept values of an event of that kind and columns (see event-columns.ts), as a producer sends them. */
export function readableFields(kind: number, a: number, b: number): Fields {
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
