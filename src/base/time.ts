import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from 'date-fns/constants'

export { millisecondsInDay, millisecondsInHour, millisecondsInMinute }

/**
 * Calendar arithmetic without zones. Requests, answers and commands write a day as YYYYMMDD. Internally a day is an
 * epoch day: whole days since 1970-01-01, so that the next day is always one more.
 */

/** Returns the epoch day of an integer YYYYMMDD, or null if the value is not a calendar day in that form. */
export function parseDay(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 10_000_101 || value > 99_991_231) return null
  const epochDay =
    Date.UTC(Math.floor(value / 10_000), (Math.floor(value / 100) % 100) - 1, value % 100) / millisecondsInDay
  return formatDay(epochDay) === value ? epochDay : null
}

/** Returns an epoch day as an integer YYYYMMDD. */
export function formatDay(epochDay: number): number {
  const date = new Date(epochDay * millisecondsInDay)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}

/** Returns the UTC day of an instant (epoch ms), as an epoch day. */
export const utcDayOf = (instant: number): number => Math.floor(instant / millisecondsInDay)

/** Returns an instant (epoch ms) as RFC 3339 text in UTC. */
export const formatInstant = (instant: number): string => new Date(instant).toISOString()

/** Returns an instant (epoch ms) as RFC 3339 text in UTC, or null if it is null or undefined. */
export const instantOrNull = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : formatInstant(instant)

const pad = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** Formats a wall clock, in milliseconds since 1970-01-01T00:00:00 of that clock, as `YYYY-MM-DD HH:MM:SS`. */
export function formatWallClock(wallMs: number): string {
  const date = new Date(wallMs)
  const day = `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
  return `${day} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
}

const WALL_CLOCK = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/

/** Parses `YYYY-MM-DD HH:MM[:SS[.sss]]` to wall-clock ms as formatWallClock takes them; null if it is not valid. */
export function parseWallClock(text: string): number | null {
  const parts = WALL_CLOCK.exec(text)
  if (parts === null) return null
  const day = parseDay(Number(parts[1] + parts[2] + parts[3]))
  const [hours, minutes, seconds] = [parts[4], parts[5], parts[6] ?? '0'].map(Number)
  if (day === null || hours > 23 || minutes > 59 || seconds > 59) return null
  const thousandths = Number((parts[7] ?? '').padEnd(3, '0'))
  return (
    day * millisecondsInDay + hours * millisecondsInHour + minutes * millisecondsInMinute + seconds * 1000 + thousandths
  )
}

/** Parses an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`. Returns epoch ms, or null if the text is not one. */
export function parseHttpDate(text: string): number | null {
  const instant = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(instant) ? null : instant
}
