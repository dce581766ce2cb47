import { isUtf8 } from 'node:buffer'
import { MAX_BATCH_EVENTS } from '../enqueue/telemetry-event.ts'
import { CoolerError } from '../errors.ts'

/** One event as it came: its value, and its text where that is at hand; `value` is undefined where it is no JSON. */
export interface RawEvent {
  value: unknown
  text?: string
}

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * The events of a JSON body: an array, or an object with an array `events`.
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

/** The events of a queue job's `events`; same errors as readJsonBatch. */
export function eventsOf(events: unknown): RawEvent[] {
  if (!Array.isArray(events)) throw new CoolerError('bad-request', 'events must be an array')
  if (events.length > MAX_BATCH_EVENTS) throw tooLong()
  return events.map((value) => ({ value }))
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new CoolerError('bad-request', 'the body is not UTF-8')
  try {
    return JSON.parse(withoutMark(bytes).toString('utf8'))
  } catch (error) {
    throw new CoolerError('bad-request', `the body is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * The events of newline-delimited JSON: lines may end in CRLF, blank ones are skipped, a byte order mark is no part of
 * the first. A line that is no JSON or no UTF-8 is an event without a value.
 *
 * @throws CoolerError `batch-too-long` on more than `most` events.
 */
export function readLines(bytes: Buffer, most = MAX_BATCH_EVENTS): RawEvent[] {
  const body = withoutMark(bytes)
  const wellFormed = isUtf8(body)
  const events: RawEvent[] = []
  for (let start = 0; start < body.length; ) {
    const feed = body.indexOf(LINE_FEED, start)
    const end = feed < 0 ? body.length : feed
    const line = body.subarray(start, end)
    start = end + 1
    const text = line.toString('utf8').trim()
    if (text === '') continue
    if (events.length === most) throw tooLong()
    events.push({ text, value: wellFormed || isUtf8(line) ? parsedOrUndefined(text) : undefined })
  }
  return events
}

/** The value of a JSON text; undefined where it is none. */
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

export function tooLong(): CoolerError {
  return new CoolerError('batch-too-long', `a batch holds at most ${MAX_BATCH_EVENTS} events: send it in parts`)
}

/** The JSON text of an event, for people to read; of a value that has none (too deep, say) a note of it. */
export function textOf({ text, value }: RawEvent): string {
  if (text !== undefined) return text
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    return `(no JSON text: ${(error as Error).message})`
  }
}
