/**
 * The telemetry events that producers send, field by field as RULES.md section 2 names them.
 *
 * `at` is an RFC 3339 string with `Z` or an offset, or an integer of epoch milliseconds. `seq` is the device's own
 * counter, 0 to 2^53-1; it tells apart two equal events of one instant. Unknown fields are ignored.
 */
export interface EventCommon {
  /** Opaque asset identifier, 1 to 256 UTF-16 units, compared unit by unit: never trimmed or normalised. */
  deviceId: string
  at: string | number
  seq?: number
}

/** A door changed (`open`), or `count` open/close events (1 to 100 000) happened since the last report. One of the two. */
export type DoorEvent = EventCommon & { type: 'door' } & ({ open: boolean } | { count: number })

/** Degrees Celsius, -60 to 80: the measured temperature, the set temperature, or both. */
export type TemperatureEvent = EventCommon & { type: 'temperature'; celsius?: number; setpoint?: number }

/** The cooler's power is on or off from `at` on. */
export type PowerEvent = EventCommon & { type: 'power'; on: boolean }

/** A position fix in decimal degrees; `accuracy` in metres; `address` at most 512 UTF-16 units. */
export type GpsEvent = EventCommon & { type: 'gps'; lat: number; lon: number; accuracy?: number; address?: string }

/** Visitors since the last report (`count`, 0 to 1 000 000), or a running counter (`total`). One of the two. */
export type VisitorEvent = EventCommon & { type: 'visitor' } & ({ count: number } | { total: number })

/** From `at` on the device is meant to stand at `lat`, `lon`, and lives in `timezone` (an IANA name). */
export type PlacementEvent = EventCommon & {
  type: 'placement'
  lat: number
  lon: number
  timezone?: string | null
  address?: string
}

export type TelemetryEvent = DoorEvent | TemperatureEvent | PowerEvent | GpsEvent | VisitorEvent | PlacementEvent

export const EVENT_TYPES = ['door', 'temperature', 'power', 'gps', 'visitor', 'placement'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The bounds of RULES.md section 2, in the unit of the field. */
export const BOUNDS = {
  deviceIdUnits: 256,
  addressUnits: 512,
  celsius: { min: -60, max: 80 },
  latitude: { min: -90, max: 90 },
  longitude: { min: -180, max: 180 },
  doorCount: { min: 1, max: 100_000 },
  visitorCount: { min: 0, max: 1_000_000 },
  accuracyMeters: { worst: 500 },
  safeInteger: Number.MAX_SAFE_INTEGER,
} as const

/** Most events that one batch (a queue job or an HTTP request) may hold. */
export const MAX_BATCH_EVENTS = 10_000
