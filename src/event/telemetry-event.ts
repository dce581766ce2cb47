import type { EVENT_FIELDS, EventType, Field } from './fields.ts'

/**
 * The telemetry events that producers send (RULES.md 2), with the types derived from fields.ts.
 *
 * `at` is an RFC 3339 string with `Z` or an offset, or an integer of epoch milliseconds. `seq` is the device's own
 * counter, 0 to 2^53-1; it distinguishes equal events of one instant. Unknown fields are ignored.
 */
export interface EventCommon {
  /** Opaque asset identifier, 1 to 256 UTF-16 units, compared unit by unit: never trimmed or normalised. */
  deviceId: string
  at: string | number
  seq?: number
}

type ValueOf<Of extends Field> = Of extends { kind: 'boolean' }
  ? boolean
  : Of extends { kind: 'number' | 'integer' }
    ? number
    : string | null

type Values<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] extends Field ? ValueOf<Fields[Name]> : never }

type Needed<Needs, Fields> = Needs extends 'one'
  ? { [Name in keyof Fields]: Values<Pick<Fields, Name>> }[keyof Fields]
  : Needs extends 'some'
    ? Partial<Values<Fields>>
    : Values<Fields>

type Optional<Of> = Of extends { optional: infer Fields } ? Partial<Values<Fields>> : unknown

type EventOf<Type extends EventType> = EventCommon & { type: Type } & Needed<
    (typeof EVENT_FIELDS)[Type]['needs'],
    (typeof EVENT_FIELDS)[Type]['fields']
  > &
  Optional<(typeof EVENT_FIELDS)[Type]>

/** A door changed (`open`), or `count` open/close events (1 to 100 000) since the last report. One of the two. */
export type DoorEvent = EventOf<'door'>

/** Degrees Celsius, -60 to 80: the measured temperature, the set temperature, or both. */
export type TemperatureEvent = EventOf<'temperature'>

/** The cooler's power is on or off from `at` on. */
export type PowerEvent = EventOf<'power'>

/** A position fix in decimal degrees; `accuracy` in metres; `address` at most 512 UTF-16 units. */
export type GpsEvent = EventOf<'gps'>

/** Visitors since the last report (`count`, 0 to 1 000 000), or a running counter (`total`). One of the two. */
export type VisitorEvent = EventOf<'visitor'>

/** From `at` on, the device is meant to stand at `lat`, `lon`, in the time zone `timezone` (an IANA name). */
export type PlacementEvent = EventOf<'placement'>

export type TelemetryEvent = DoorEvent | TemperatureEvent | PowerEvent | GpsEvent | VisitorEvent | PlacementEvent

/** Most events that one batch (a queue job or an HTTP request) may hold. */
export const MAX_BATCH_EVENTS = 10_000
