import { formatInstant } from '../base/time.ts'
import { type EventColumns, NO_SEQ } from './event-columns.ts'
import { EVENT_FIELDS } from './fields.ts'
import { keptValues } from './kept-values.ts'
import type { Placement } from './placement.ts'

const POSITION = EVENT_FIELDS.placement.fields

/** An event for people to read: the kept values, under the field names that a producer sends. */
export type ReadableEvent = { at: string; type: string; seq?: number } & Record<string, unknown>

/** The columns that are read. `at` is left out, because it may count from any instant. */
type ReadColumns = Pick<EventColumns, 'kind' | 'a' | 'b' | 'seq'> & { addresses: ReadonlyMap<number, string> | null }

/** Returns the event of a row in readable form. `at` is its instant (epoch ms). */
export function readableEvent({ kind, a, b, seq, addresses }: ReadColumns, row: number, at: number): ReadableEvent {
  return readable(at, seq?.[row] ?? NO_SEQ, keptValues(kind[row], a[row], b[row]), addresses?.get(row) ?? null)
}

/** Returns a placement in readable form. */
export function readablePlacement({ at, seq, lat, lon, zone, address }: Placement): ReadableEvent {
  const timezone = zone === '' ? {} : { timezone: zone }
  const degrees = { lat: lat / POSITION.lat.scale, lon: lon / POSITION.lon.scale }
  return readable(at, seq, { type: 'placement', ...degrees, ...timezone }, address)
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
