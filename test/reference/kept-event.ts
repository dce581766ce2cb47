import type { EventType } from '../../src/event/fields.ts'

/**
 * An event as it is kept (RULES.md section 2): temperatures in thousandths of a degree, positions in 10^-7 degree.
 * Every field that the event does not carry is null.
 */
export interface KeptEvent {
  deviceId: string
  /** Epoch milliseconds. */
  at: number
  seq: number | null
  type: EventType
  on: boolean | null
  open: boolean | null
  count: number | null
  total: number | null
  celsius: number | null
  setpoint: number | null
  lat: number | null
  lon: number | null
  timezone: string | null
  /** No part of the event's identity. */
  address: string | null
}

/** A placement or a fix: its position is there. */
export type PlacedEvent = KeptEvent & { lat: number; lon: number }

export const placementsAmong = (events: readonly KeptEvent[]): PlacedEvent[] =>
  events.filter((event): event is PlacedEvent => event.type === 'placement')

export const fixesAmong = (events: readonly KeptEvent[]): PlacedEvent[] =>
  events.filter((event): event is PlacedEvent => event.type === 'gps')
