const millisecondsInDay = 86_400_000

/**
 * Days as whole numbers since 1970-01-01, so that the next one is always one more. A day here is a date of the calendar,
 * the device's own: it is built and written in UTC, so that no time zone of the viewer ever shifts it.
 */

/** The day of a text YYYYMMDD; null where the calendar has none. */
export function parseDay(text: string): number | null {
  if (!/^[1-9]\d{7}$/.test(text)) return null
  const day =
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(4, 6)) - 1, Number(text.slice(6))) / millisecondsInDay
  return dayText(day) === text ? day : null
}

/** YYYY-MM-DD, as the date fields of a page have it. */
export const isoDay = (day: number): string => dateOf(day).toISOString().slice(0, 10)

/** YYYYMMDD. */
export const dayText = (day: number): string => isoDay(day).replaceAll('-', '')

/** YYYYMMDD as the number that requests carry. */
export const dayNumber = (day: number): number => Number(dayText(day))

/** For writing a day with `timeZone: 'UTC'`. */
export const dateOf = (day: number): Date => new Date(day * millisecondsInDay)

/** Instants as RFC 3339 texts become dates for writing them by the viewer's clock. */
export const instantOf = (text: string): Date => new Date(text)

/** Of an RFC 3339 text, in ms since 1970. */
export const millisecondsOf = (text: string): number => Date.parse(text)

/** The last day that is over by UTC: the one to begin with. */
export const yesterday = (now: number): number => Math.floor(now / millisecondsInDay) - 1
