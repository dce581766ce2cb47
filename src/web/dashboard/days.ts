const millisecondsInDay = 86_400_000

/**
 * Days are whole numbers since 1970-01-01, so that the next day is always one more. A day is a calendar date of the
 * device's own zone. It is computed and written in UTC, so that the viewer's time zone never shifts it.
 */

/** Parses a day YYYYMMDD; returns null if it is not in the calendar. */
export function parseDay(text: string): number | null {
  if (!/^[1-9]\d{7}$/.test(text)) return null
  const day =
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(4, 6)) - 1, Number(text.slice(6))) / millisecondsInDay
  return dayText(day) === text ? day : null
}

/** Returns a day as YYYY-MM-DD, the form of date fields. */
export const isoDay = (day: number): string => dateOf(day).toISOString().slice(0, 10)

/** Returns a day as YYYYMMDD. */
export const dayText = (day: number): string => isoDay(day).replaceAll('-', '')

/** Returns a day as a date, to be formatted with `timeZone: 'UTC'`. */
export const dateOf = (day: number): Date => new Date(day * millisecondsInDay)

/** Returns the date of an RFC 3339 text or of epoch ms, to be formatted in the viewer's or another time zone. */
export const instantOf = (at: string | number): Date => new Date(at)

/** Returns the instant of an RFC 3339 text, in ms since 1970. */
export const millisecondsOf = (text: string): number => Date.parse(text)

/** Returns the last day that is over in UTC, which is shown first. `now`: ms since 1970. */
export const yesterday = (now: number): number => Math.floor(now / millisecondsInDay) - 1
