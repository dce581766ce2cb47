import type { TelemetryEvent } from '../../src/event/telemetry-event.ts'

/** The day of most tests' events, and its noon. */
export const DAY = 20250601
export const NOON = '2025-06-01T12:00:00Z'

export const visitors = (deviceId: string, count: number, at: string | number = NOON): TelemetryEvent => ({
  deviceId,
  at,
  type: 'visitor',
  count,
})

/** Events that differ, one device each: `prefix` with a number. */
export const manyVisitors = (count: number, prefix = 'cooler-'): TelemetryEvent[] =>
  Array.from({ length: count }, (_, number) => visitors(`${prefix}${number}`, number % 1000))

export const lines = (events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')
