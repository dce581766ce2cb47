import { UTCDate, utc } from '@date-fns/utc'
import { format } from 'date-fns/format'
import { parse } from 'date-fns/parse'

/** A pattern of date-fns tokens that is known to tell the whole date. */
export interface TimePattern {
  text: string
  /** Whether the times have an offset of their own, or count from 1970. */
  isInstant: boolean
}

/** Where what a pattern leaves out comes from. The century of a two-digit year is that of 2000. */
const REFERENCE = new UTCDate(2000, 0, 1)
/** A time all of whose fields differ from those of the reference. */
const SAMPLE = new UTCDate(2013, 10, 27, 17, 14, 15, 678)
const QUOTED = /'(?:[^']|'')*'/g
const TELLS_INSTANT = /[xXtT]/

/** @throws RangeError if date-fns does not know the pattern, or if it does not tell the date and the half of the day */
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

/** Returns milliseconds since 1970, of UTC or of the clock that the text is of; null if the text is not of the pattern. */
export function parsePattern(text: string, pattern: TimePattern): number | null {
  const ms = parse(text, pattern.text, REFERENCE, { in: utc }).getTime()
  return Number.isNaN(ms) ? null : ms
}
