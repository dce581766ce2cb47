import { MINUTE_MS } from './durations.ts'
import { type Stay, staysOf, type Window, windowOfDay, type ZonePlacement } from './local-day.ts'
import { wallClock } from './wall-clock.ts'

/** The stays of the device within the day, cut to it. */
function staysWithin(stays: readonly Stay[], day: Window): Stay[] {
  return stays
    .map(({ zone, start, end }) => ({ zone, start: Math.max(start, day.start), end: Math.min(end, day.end) }))
    .filter(({ start, end }) => start < end)
}

const found = new Map<string, number>()

/**
 * The first instant of the stays at which the wall clock shows `minute` of `date`, or later; the end of the day where
 * none does. Looks at the start of each stay and at every whole minute, and is remembered, since it is slow.
 */
function firstInstantAt(stays: readonly Stay[], date: number, minute: number): number {
  const key = JSON.stringify([stays, date, minute])
  const known = found.get(key)
  if (known !== undefined) return known
  const instant = search(stays, date, minute)
  found.set(key, instant)
  return instant
}

function search(stays: readonly Stay[], date: number, minute: number): number {
  for (const { zone, start, end } of stays) {
    let instant = start
    while (instant < end) {
      const clock = wallClock(zone, instant)
      const isReached = clock.date > date || (clock.date === date && clock.hour * 60 + clock.minute >= minute)
      if (isReached) return instant
      instant = (Math.floor(instant / MINUTE_MS) + 1) * MINUTE_MS
    }
  }
  return (stays.at(-1) as Stay).end
}

/**
 * The daytime of a local day (RULES.md section 3, `powerDayDuration`): from the first instant of the day at or after
 * one wall clock time of its own date to the first at or after the other, in the zone in force at each instant.
 * Null where the date never begins for this device.
 */
export function daytimeOfDay(
  placements: readonly ZonePlacement[],
  defaultZone: string,
  date: number,
  startMinute: number,
  endMinute: number,
): Window | null {
  const day = windowOfDay(placements, defaultZone, date)
  if (day === null) return null
  const stays = staysWithin(staysOf(placements, defaultZone), day)
  return { start: firstInstantAt(stays, date, startMinute), end: firstInstantAt(stays, date, endMinute) }
}
