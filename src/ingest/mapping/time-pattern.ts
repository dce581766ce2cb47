import { UTCDate, utc } from '@date-fns/utc'
import { format } from 'date-fns/format'
import { parse } from 'date-fns/parse'

/** A pattern of date-fns tokens that was found to give the whole date. */
export interface TimePattern {
  text: string
  /** True if the times have an offset of their own, or count from 1970. */
  isInstant: boolean
}

/** Supplies the parts that a pattern leaves out. A two-digit year is in the century of the year 2000. */
const REFERENCE = new UTCDate(2000, 0, 1)
/** A time whose fields all differ from the fields of the reference. */
const SAMPLE = new UTCDate(2013, 10, 27, 17, 14, 15, 678)
const QUOTED = /'(?:[^']|'')*'/g
const TELLS_INSTANT = /[xXtT]/

/** Reads a pattern. @throws RangeError if date-fns refuses it, or if it lacks the date or the half of the day */
export function readPattern(text: string): TimePattern {
  const pattern = { text, isInstant: TELLS_INSTANT.test(text.replace(QUOTED, '')) }
  const written = format(SAMPLE, text)
  const read = parsePattern(written, pattern)
  const time = (read ?? 0) - Date.UTC(2013, 10, 27)
  const hour = Math.floor(time / 3_600_000)
  // A pattern without a time of day means midnight.
  if (hour === SAMPLE.getHours() || time === 0) return pattern
  throw new RangeError(
    `it writes ${JSON.stringify(written)}, which does not tell year, month, day and hour (use HH, or hh with a)`,
  )
}

/** Returns milliseconds since 1970, in UTC or of the text's local clock; null if the text does not fit the pattern. */
export function parsePattern(text: string, pattern: TimePattern): number | null {
  const ms = parse(text, pattern.text, REFERENCE, { in: utc }).getTime()
  return Number.isNaN(ms) ? null : ms
}
