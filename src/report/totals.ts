import type { DeviceDay } from '../store/device-day.ts'
import { hours, meanOfThousandths, thousandths } from './rounding.ts'

/** What the figures of a day or a range are finalised from (RULES.md 4): sums, counts and extremes over its days. */
export interface Totals {
  visitors: number
  doors: number
  celsiusSum: number
  celsiusCount: number
  celsiusMin: number
  celsiusMax: number
  setpointSum: number
  setpointCount: number
  onMs: number
  onDaytimeMs: number
  distanceSumMm: number
  distanceCount: number
}

export const emptyTotals = (): Totals => ({
  visitors: 0,
  doors: 0,
  celsiusSum: 0,
  celsiusCount: 0,
  celsiusMin: Infinity,
  celsiusMax: -Infinity,
  setpointSum: 0,
  setpointCount: 0,
  onMs: 0,
  onDaytimeMs: 0,
  distanceSumMm: 0,
  distanceCount: 0,
})

export function addDay(totals: Totals, day: DeviceDay): void {
  totals.visitors += day.visitors
  totals.doors += day.doors
  totals.celsiusSum += day.celsiusSum
  totals.celsiusCount += day.celsiusCount
  if (day.celsiusCount > 0) {
    totals.celsiusMin = Math.min(totals.celsiusMin, day.celsiusMin)
    totals.celsiusMax = Math.max(totals.celsiusMax, day.celsiusMax)
  }
  totals.setpointSum += day.setpointSum
  totals.setpointCount += day.setpointCount
  totals.onMs += day.onMs
  totals.onDaytimeMs += day.onDaytimeMs
  totals.distanceSumMm += day.distanceSumMm
  totals.distanceCount += day.distanceCount
}

/** Above this mean deviation a device is flagged: 200 m, in millimetres. */
export const FLAGGED_MM = 200_000

/** The figures of INTERFACE.md 2.2 and 2.3. Temperatures in degrees Celsius, durations in hours, distance in metres. */
export interface Figures {
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

/** Rounds once, from the exact sums; the flag comes from the unrounded mean. */
export const finalise = (totals: Totals): Figures => ({
  visitorCount: totals.visitors,
  openCloseNum: totals.doors,
  currTemp: meanOfThousandths(totals.celsiusSum, totals.celsiusCount),
  setTemp: meanOfThousandths(totals.setpointSum, totals.setpointCount),
  maxTemp: totals.celsiusCount === 0 ? null : thousandths(totals.celsiusMax),
  minTemp: totals.celsiusCount === 0 ? null : thousandths(totals.celsiusMin),
  powerDuration: hours(totals.onMs),
  powerDayDuration: hours(totals.onDaytimeMs),
  distance: meanOfThousandths(totals.distanceSumMm, totals.distanceCount),
  distanceMore: totals.distanceSumMm > FLAGGED_MM * totals.distanceCount ? 1 : 0,
})
