import { datesBetween } from './calendar-date.ts'
import { type CurrentPosition, currentPositionOf } from './current-position.ts'
import { type DayStatistics, statisticsOf } from './day-statistics.ts'
import { HOUR_MS } from './durations.ts'
import { distinctEventsOf } from './event-order.ts'
import type { KeptEvent } from './kept-event.ts'
import { roundedQuotient } from './rounding.ts'
import type { Settings } from './settings.ts'

export { type DayStatistics, dayStatistics } from './day-statistics.ts'
export type { Settings } from './settings.ts'

/** An entry of the daily report, as INTERFACE.md 2.2 names its fields. */
export interface DayFigures {
  assertId: string
  visitorCount: number
  openCloseNum: number
  currTemp: number | null
  setTemp: number | null
  maxTemp: number | null
  minTemp: number | null
  powerDuration: number
  powerDayDuration: number
  distance: number | null
  distanceMore: 0 | 1
}

/** An entry of the summary, as INTERFACE.md 2.3 names its fields. */
export type RangeFigures = DayFigures & CurrentPosition

/** Sums of sums, extremes of extremes, rounded once (RULES.md sections 4 and 5). */
function figuresOf(deviceId: string, days: readonly DayStatistics[]): DayFigures {
  const sum = (pick: (day: DayStatistics) => number) => days.reduce((total, day) => total + pick(day), 0)
  const lows = days.map((day) => day.celsiusMin).filter((low) => low !== null)
  const highs = days.map((day) => day.celsiusMax).filter((high) => high !== null)
  const celsius = (thousandths: number, count: number) => roundedQuotient(thousandths, count * 1000, 2)
  const hours = (ms: number) => roundedQuotient(ms, HOUR_MS, 4) as number
  const distanceSumMm = sum((day) => day.distanceSumMm)
  const fixes = sum((day) => day.distanceCount)
  return {
    assertId: deviceId,
    visitorCount: sum((day) => day.visitors),
    openCloseNum: sum((day) => day.doors),
    currTemp: celsius(
      sum((day) => day.celsiusSum),
      sum((day) => day.celsiusCount),
    ),
    setTemp: celsius(
      sum((day) => day.setpointSum),
      sum((day) => day.setpointCount),
    ),
    maxTemp: highs.length === 0 ? null : celsius(Math.max(...highs), 1),
    minTemp: lows.length === 0 ? null : celsius(Math.min(...lows), 1),
    powerDuration: hours(sum((day) => day.onMs)),
    powerDayDuration: hours(sum((day) => day.onDaytimeMs)),
    distance: roundedQuotient(distanceSumMm, fixes * 1000, 2),
    distanceMore: distanceSumMm > 200_000 * fixes ? 1 : 0,
  }
}

/** The figures of one device and day, from all kept events of all devices, in any order and with repeats. */
export function dayFigures(
  events: readonly KeptEvent[],
  deviceId: string,
  day: number,
  settings: Settings,
  asOfMs: number,
): DayFigures {
  return figuresOf(deviceId, [statisticsOf(distinctEventsOf(events, deviceId), day, settings, asOfMs)])
}

/** The figures of one device over the days of a range, both ends counting; `nowMs` tells the placement in force. */
export function rangeFigures(
  events: readonly KeptEvent[],
  deviceId: string,
  startDay: number,
  endDay: number,
  settings: Settings,
  asOfMs: number,
  nowMs: number = asOfMs,
): RangeFigures {
  const ordered = distinctEventsOf(events, deviceId)
  const days = datesBetween(startDay, endDay).map((day) => statisticsOf(ordered, day, settings, asOfMs))
  return { ...figuresOf(deviceId, days), ...currentPositionOf(ordered, settings.defaultTimezone, nowMs) }
}
