import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from 'date-fns/constants'

export { millisecondsInDay, millisecondsInHour, millisecondsInMinute }

/**
 * Calendar arithmetic without zones. A day is written YYYYMMDD at the edges (requests, answers, commands) and kept
 * inside as an epoch day: whole days since 1970-01-01, so that the next day is always one more.
 */

/** The epoch day of YYYYMMDD, or null where the value is no integer of that form or no day of the calendar. */
export function parseDay(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 10_000_101 || value > 99_991_231) return null
  const epochDay =
    Date.UTC(Math.floor(value / 10_000), (Math.floor(value / 100) % 100) - 1, value % 100) / millisecondsInDay
  return formatDay(epochDay) === value ? epochDay : null
}

/** YYYYMMDD of an epoch day. */
export function formatDay(epochDay: number): number {
  const date = new Date(epochDay * millisecondsInDay)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}

/** The UTC day that holds an instant (epoch ms), as an epoch day. */
export const utcDayOf = (instant: number): number => Math.floor(instant / millisecondsInDay)

/** RFC 3339 text of an instant (epoch ms), in UTC. */
export const formatInstant = (instant: number): string => new Date(instant).toISOString()

/** The same, null for an instant that is not known. */
export const instantOrNull = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : formatInstant(instant)

const pad = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** `YYYY-MM-DD HH:MM:SS` of a wall clock given as milliseconds since 1970-01-01T00:00:00 of that clock. */
export function formatWallClock(wallMs: number): string {
  const date = new Date(wallMs)
  const day = `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
  return `${day} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`
}

const WALL_CLOCK = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/

/** What `YYYY-MM-DD HH:MM[:SS[.sss]]` reads, as formatWallClock has it; null where no clock reads so. */
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
