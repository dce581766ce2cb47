import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from '../base/time.ts'

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Parses an RFC 3339 date-time with `Z` or an offset. Returns epoch ms, or null if the text is invalid. Digits beyond
 * the millisecond are cut. A leap second (23:59:60 UTC) is the first second of the next day, as on POSIX clocks.
 */
export function parseRfc3339(text: string): number | null {
  const match = RFC_3339.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match
  const midnight = midnightOf(Number(year), Number(month), Number(day))
  if (midnight === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null
  if (sign !== undefined && (Number(offsetHour) > 23 || Number(offsetMinute) > 59)) return null
  const east =
    sign === undefined ? 0 : Number(offsetHour) * millisecondsInHour + Number(offsetMinute) * millisecondsInMinute
  const time = Number(hour) * millisecondsInHour + Number(minute) * millisecondsInMinute + Number(second) * 1000
  const wholeSeconds = midnight + time - (sign === '-' ? -east : east)
  if (Number(second) === 60 && wholeSeconds % millisecondsInDay !== 0) return null
  return wholeSeconds + (fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0')))
}

/** Returns the epoch ms of 00:00 UTC of a date, or null if the calendar does not have the date. */
function midnightOf(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
}
