import { addDays, dateOfUtc, utcMidnight } from './calendar-date.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

/** What a clock on the wall shows. */
export interface WallClock {
  /** YYYYMMDD */
  date: number
  hour: number
  minute: number
  second: number
}

/** Something that is slow to find out, remembered by zone and number. */
function remembered(find: (zone: string, key: number) => number): (zone: string, key: number) => number {
  const zones = new Map<string, Map<number, number>>()
  return (zone, key) => {
    const known = zones.get(zone) ?? new Map<number, number>()
    zones.set(zone, known)
    const value = known.get(key) ?? find(zone, key)
    known.set(key, value)
    return value
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** How far the clocks of a zone are ahead of UTC, asked of Intl. */
function askedOffsetMs(zone: string, instantMs: number): number {
  const parts = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      ...parts,
    })
  formats.set(zone, format)
  const numbers = format.format(instantMs).match(/\d+/g)?.map(Number) ?? []
  const [day, month, year, hour, minute, second] = numbers as [number, number, number, number, number, number]
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / SECOND_MS) * SECOND_MS
}

const offsetAtHourMs = remembered((zone, hour) => askedOffsetMs(zone, hour * HOUR_MS))

/** No zone changes its clocks and changes them back within an hour, so one offset at both ends holds between them. */
function offsetMs(zone: string, instantMs: number): number {
  const hour = Math.floor(instantMs / HOUR_MS)
  const offset = offsetAtHourMs(zone, hour)
  return offset === offsetAtHourMs(zone, hour + 1) ? offset : askedOffsetMs(zone, instantMs)
}

/** What the clocks of a zone show at an instant. */
export function wallClock(zone: string, instantMs: number): WallClock {
  const localMs = instantMs + offsetMs(zone, instantMs)
  const local = new Date(localMs)
  return {
    date: dateOfUtc(localMs),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
  }
}

/** The first instant at which the local date is `date` or later. */
const firstInstantFrom = remembered((zone, date) => {
  // No zone is further than 15 hours ahead of UTC, so this is before the date everywhere.
  let instant = utcMidnight(date) - 16 * HOUR_MS
  while (wallClock(zone, instant).date < date) instant += MINUTE_MS
  return instant
})

/**
 * The first instant of a date in a zone (RULES.md section 1), or null where the zone skips the date. Offsets and clock
 * changes of all zones have been whole minutes since 1972, so looking at every minute finds it.
 */
export function firstInstantOf(zone: string, date: number): number | null {
  const instant = firstInstantFrom(zone, date)
  return firstInstantFrom(zone, addDays(date, 1)) === instant ? null : instant
}
