import { DAY_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

const FORM = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

/** Unlike `Date.UTC`, which takes the years 0 to 99 for 1900 to 1999. */
function utcInstant(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/**
 * The epoch milliseconds of an RFC 3339 time with `Z` or an offset, or null where it is none (RULES.md section 2).
 *
 * A blank may stand for the T; digits beyond the millisecond are cut. Second 60 is allowed where the instant is
 * 23:59:60 of UTC, and counts as the midnight that follows.
 */
export function parseRfc3339(text: string): number | null {
  const match = FORM.exec(text)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const fraction = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const offsetMs = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * MINUTE_MS
  const minuteAt = utcInstant(year, month, day) + (hour * 60 + minute) * MINUTE_MS - offsetMs
  const isLastMinuteOfUtcDay = (minuteAt + MINUTE_MS) % DAY_MS === 0
  if (second === 60 && !isLastMinuteOfUtcDay) return null
  return minuteAt + second * SECOND_MS + fraction
}
