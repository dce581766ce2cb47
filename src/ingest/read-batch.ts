import { isUtf8 } from 'node:buffer'
import { CoolerError } from '../base/errors.ts'
import { isCheapToParse } from '../base/parsing-cost.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'

/** One event as it came: its value and, if available, its text. `value` is undefined if the text is not JSON. */
export interface RawEvent {
  value: unknown
  text?: string
}

/**
 * Highest parsing cost (isCheapToParse) of the JSON of one batch: 300 for each event. An event with eight fields costs
 * 34. Unknown fields are ignored, but they have to be parsed, too.
 */
export const MOST_BATCH_COST = 300 * MAX_BATCH_EVENTS
/** Bounds how many blank lines are skipped. */
const LINES_PER_EVENT = 10

const LINE_FEED = 0x0a
/** Tells whether trim() would remove this ASCII byte. Testing bytes makes a blank line cost next to nothing. */
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * Returns the events of a JSON body: an array, or an object with an array `events`.
 *
 * @throws CoolerError `bad-request` on anything else, `batch-too-long` on more than MAX_BATCH_EVENTS.
 */
export function readJsonBatch(bytes: Buffer): RawEvent[] {
  const body = parseJson(bytes)
  const events = Array.isArray(body) ? body : (body as { events?: unknown } | null)?.events
  if (!Array.isArray(events)) {
    throw new CoolerError('bad-request', 'the body must be a JSON array of events, or {"events":[...]}')
  }
  return eventsOf(events)
}

/** Returns the events of a queue job's `events`; throws the same errors as readJsonBatch. */
export function eventsOf(events: unknown): RawEvent[] {
  if (!Array.isArray(events)) throw new CoolerError('bad-request', 'events must be an array')
  if (events.length > MAX_BATCH_EVENTS) throw tooLong()
  return events.map((value) => ({ value }))
}

function parseJson(bytes: Buffer): unknown {
  if (!isCheapToParse(bytes, MOST_BATCH_COST)) throw tooLong()
  if (!isUtf8(bytes)) throw new CoolerError('bad-request', 'the body is not UTF-8')
  try {
    return JSON.parse(withoutMark(bytes).toString('utf8'))
  } catch (error) {
    throw new CoolerError('bad-request', `the body is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Returns the events of newline-delimited JSON. Lines may end in CRLF; blank lines and a leading byte order mark are
 * skipped. A line that is not JSON or not UTF-8 is an event without a value.
 *
 * @throws CoolerError `batch-too-long` on more than `most` events.
 */
export function readLines(bytes: Buffer, most = MAX_BATCH_EVENTS): RawEvent[] {
  requireFewLines(bytes, most)
  const body = withoutMark(bytes)
  const wellFormed = isUtf8(body)
  const events: RawEvent[] = []
  for (let start = 0; start < body.length; ) {
    const feed = body.indexOf(LINE_FEED, start)
    const end = feed < 0 ? body.length : feed
    while (start < end && isBlank(body[start])) start++
    const line = body.subarray(start, end)
    start = end + 1
    if (line.length === 0) continue
    const text = line.toString('utf8').trim()
    if (text === '') continue
    if (events.length === most) throw tooLong()
    events.push({ text, value: wellFormed || isUtf8(line) ? parsedOrUndefined(text) : undefined })
  }
  return events
}

/**
 * Refuses lines that would cost too much to read, before any line is parsed. A `most` above MAX_BATCH_EVENTS means a
 * file of the operator, which has no limit.
 *
 * @throws CoolerError `batch-too-long`
 */
export function requireFewLines(bytes: Buffer, most: number): void {
  if (most > MAX_BATCH_EVENTS) return
  if (!isCheapToParse(bytes, MOST_BATCH_COST) || hasMoreLines(bytes, LINES_PER_EVENT * MAX_BATCH_EVENTS))
    throw tooLong()
}

/** Tells whether there are more than `most` lines, blank lines included. */
export function hasMoreLines(bytes: Buffer, most: number): boolean {
  if (bytes.length < most) return false
  let lines = 1
  for (let feed = bytes.indexOf(LINE_FEED); feed >= 0 && feed < bytes.length - 1; ) {
    lines++
    if (lines > most) return true
    feed = bytes.indexOf(LINE_FEED, feed + 1)
  }
  return lines > most
}

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
}

/** Makes the error of a batch with more events than MAX_BATCH_EVENTS. */
export function tooLong(): CoolerError {
  return new CoolerError('batch-too-long', `a batch holds at most ${MAX_BATCH_EVENTS} events: send it in parts`)
}

/** Returns the JSON text of an event for people to read; a note if it has no JSON text, for example if too deep. */
export function formatEvent({ text, value }: RawEvent): string {
  if (text !== undefined) return text
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    return `(no JSON text: ${(error as Error).message})`
  }
}
