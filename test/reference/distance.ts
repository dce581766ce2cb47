import { fixesAmong, type KeptEvent, type PlacedEvent, placementsAmong } from './kept-event.ts'
import type { Window } from './local-day.ts'

const EARTH_RADIUS_METERS = 6371008.8

/** Latitude and longitude in 10^-7 degree. */
export type Position = Pick<PlacedEvent, 'lat' | 'lon'>

export interface DistanceSum {
  distanceSumMm: number
  distanceCount: number
  spikes: number
}

/** The great-circle distance (haversine, RULES.md section 3) in whole millimetres. */
export function distanceMm(a: Position, b: Position): number {
  const radians = (unit: number) => ((unit / 1e7) * Math.PI) / 180
  const halfLat = radians(b.lat - a.lat) / 2
  const halfLon = radians(b.lon - a.lon) / 2
  const h = Math.sin(halfLat) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(halfLon) ** 2
  const meters = 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(h)))
  return Math.floor(meters * 1000 + 0.5)
}

/** The placement in force at an instant, of several at one instant the last in order; null before the first. */
export function placementInForce(ordered: readonly KeptEvent[], instantMs: number): PlacedEvent | null {
  return placementsAmong(ordered).findLast((placement) => placement.at <= instantMs) ?? null
}

/** Where the device is meant to stand: before the first placement at the first, without any at its earliest fix. */
function meantPosition(ordered: readonly KeptEvent[], fix: PlacedEvent): Position {
  return placementInForce(ordered, fix.at) ?? placementsAmong(ordered)[0] ?? fixesAmong(ordered)[0] ?? fix
}

/** Whether two fixes are further apart than 200 km/h (500/9 mm a millisecond) carry in the time between. */
function isOutOfReach(a: PlacedEvent, b: PlacedEvent): boolean {
  return distanceMm(a, b) * 9 > 500 * Math.abs(b.at - a.at)
}

/** A spike has a neighbour on both sides, both out of its reach, and those in reach of each other. */
function isSpike(before: PlacedEvent | undefined, fix: PlacedEvent, after: PlacedEvent | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return isOutOfReach(before, fix) && isOutOfReach(fix, after) && !isOutOfReach(before, after)
}

/** `distance` (RULES.md section 3) of a day as sum and count, from all events of the device in their order. */
export function distanceSumOf(ordered: readonly KeptEvent[], day: Window): DistanceSum {
  const fixes = fixesAmong(ordered).filter((fix) => fix.at >= day.start && fix.at < day.end)
  const sum: DistanceSum = { distanceSumMm: 0, distanceCount: 0, spikes: 0 }
  fixes.forEach((fix, i) => {
    if (isSpike(fixes[i - 1], fix, fixes[i + 1])) {
      sum.spikes += 1
    } else {
      sum.distanceSumMm += distanceMm(meantPosition(ordered, fix), fix)
      sum.distanceCount += 1
    }
  })
  return sum
}
