import { doorsOf, visitorsOf } from './counts.ts'
import { daytimeOfDay } from './daytime.ts'
import { type DistanceSum, distanceSumOf } from './distance.ts'
import { HOUR_MS } from './durations.ts'
import { distinctEventsOf } from './event-order.ts'
import { type KeptEvent, placementsAmong } from './kept-event.ts'
import { type Window, windowOfDay } from './local-day.ts'
import { type PowerTime, powerTimeOf } from './power-time.ts'
import type { Settings } from './settings.ts'

/** Sums, counts and extremes of one device and one local day (RULES.md section 3); temperatures in thousandths. */
export interface DayStatistics extends PowerTime, DistanceSum {
  visitors: number
  doors: number
  celsiusSum: number
  celsiusCount: number
  celsiusMin: number | null
  celsiusMax: number | null
  setpointSum: number
  setpointCount: number
  /** The rest of the day's length, what is after "as of" included. */
  unknownMs: number
  lengthMs: number
}

const isNumber = (value: number | null): value is number => value !== null
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** Null of no values. No spread into `Math.min`, which fails from about 120 000 values on. */
const extremeOf = (values: readonly number[], pick: (a: number, b: number) => number) =>
  values.length === 0 ? null : values.reduce((a, b) => pick(a, b))

/**
 * The statistics of one device and day, from all kept events of all devices, in any order and with repeats.
 * A date that never begins for the device has length 0 and no data.
 */
export function dayStatistics(
  events: readonly KeptEvent[],
  deviceId: string,
  day: number,
  settings: Settings,
  asOfMs: number,
): DayStatistics {
  return statisticsOf(distinctEventsOf(events, deviceId), day, settings, asOfMs)
}

/** The same from the events of the device alone, each once and in their order. */
export function statisticsOf(
  ordered: readonly KeptEvent[],
  day: number,
  settings: Settings,
  asOfMs: number,
): DayStatistics {
  const { defaultTimezone, daytimeStartMinute, daytimeEndMinute, silenceLimitHours, doorCount } = settings
  const never: Window = { start: 0, end: 0 }
  const placements = placementsAmong(ordered)
  const window = windowOfDay(placements, defaultTimezone, day) ?? never
  const daytime = daytimeOfDay(placements, defaultTimezone, day, daytimeStartMinute, daytimeEndMinute) ?? never

  const today = ordered.filter((event) => event.at >= window.start && event.at < window.end)
  const celsius = today.map((event) => event.celsius).filter(isNumber)
  const setpoints = today.map((event) => event.setpoint).filter(isNumber)
  const power = powerTimeOf(ordered, window, daytime, silenceLimitHours * HOUR_MS, asOfMs)
  const lengthMs = window.end - window.start
  return {
    visitors: visitorsOf(ordered, window),
    doors: doorsOf(ordered, window, doorCount),
    celsiusSum: sumOf(celsius),
    celsiusCount: celsius.length,
    celsiusMin: extremeOf(celsius, Math.min),
    celsiusMax: extremeOf(celsius, Math.max),
    setpointSum: sumOf(setpoints),
    setpointCount: setpoints.length,
    ...power,
    unknownMs: lengthMs - power.onMs - power.offMs,
    lengthMs,
    ...distanceSumOf(ordered, window),
  }
}
