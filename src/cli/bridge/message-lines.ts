import { MAX_BATCH_BYTES, MAX_EVENT_BYTES } from '../../event/batch-job.ts'
import { eventsOfRecord, isExcluded } from '../../ingest/mapping/apply-mapping.ts'
import type { Mapping } from '../../ingest/mapping/mapping.ts'
import { parsedOrUndefined } from '../../ingest/read-batch.ts'
import { lineOf } from '../sink.ts'
import { countElements, splitArray } from './split-array.ts'

export interface Message {
  topic: string
  payload: Buffer
}

/** Distinguishes the events of a message from all others if they have no time of their own. */
export interface Stamp {
  /** Epoch ms at which the message was received. */
  at: number
  /** `seq` of the message's first event; later events count up from it. */
  seq: number
}

/** Limits of a message. A message beyond them is rejected as a whole. */
const MOST_BYTES = MAX_BATCH_BYTES
const MOST_RECORDS = 1_000_000
/** Longest record. A longer one is rejected, because its values could take more memory than there is. */
const MOST_RECORD_UNITS = 4 * 1024 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Yields the lines (sink.ts) of a message's events one by one, so that a long array takes no memory. Input that cannot
 * be an event becomes a line of its text, or the beginning of it, so that it is rejected where people look for it. An
 * empty message has no lines: it clears a retained one. Calls `onEmpty` for each record without an event.
 */
export function* linesOfMessage(
  mapping: Mapping | null,
  { topic, payload }: Message,
  stamp: Stamp,
  onEmpty: () => void,
): Generator<string> {
  if (payload.length === 0) return
  const text = decodePayload(payload)
  const records = text === null ? null : recordsOf(text)
  if (records === null) {
    yield rejectedLine(payload.subarray(0, MAX_EVENT_BYTES).toString('utf8'))
    return
  }
  if (mapping === null) {
    for (const record of records) yield unmappedLine(record)
    return
  }
  const levels = topic.split('/')
  const isStamped = 'received' in mapping.at && mapping.seq === null
  let { seq } = stamp
  for (const record of records) {
    const events = mappedEvents(mapping, record, levels, stamp.at)
    if (events === null) yield rejectedLine(record)
    else if (events.length === 0) onEmpty()
    else for (const event of events) yield lineOf(isStamped ? { ...event, seq: seq++ } : event)
  }
}

/** Returns the text of a message; null if it is too large or not UTF-8 (its text might name another device). */
function decodePayload(payload: Buffer): string | null {
  if (payload.length > MOST_BYTES) return null
  try {
    return utf8.decode(payload).trim()
  } catch {
    return null
  }
}

/** Returns the texts of a message's records: the elements of an array, else the message. Null if there are too many. */
function recordsOf(text: string): Iterable<string> | null {
  const count = countElements(text)
  if (count === null) return [text]
  return count <= MOST_RECORDS ? splitArray(text) : null
}

/** Returns the value of a record; undefined if it is too long or not JSON. */
const valueOfRecord = (record: string): unknown =>
  record.length > MOST_RECORD_UNITS ? undefined : parsedOrUndefined(record)

function unmappedLine(record: string): string {
  const value = valueOfRecord(record)
  if (value === undefined) return rejectedLine(record)
  // Kept as it came if it fits into a line. Line breaks within a JSON text are only white space.
  const line = record.replace(/[\r\n]/g, ' ')
  return Buffer.byteLength(line) <= MAX_EVENT_BYTES ? line : lineOf(value)
}

/** Returns the events of a record; null to reject it: no object and no event, although no `when` excludes it. */
function mappedEvents(
  mapping: Mapping,
  record: string,
  topic: readonly string[],
  receivedAt: number,
): Record<string, unknown>[] | null {
  if (record.length > MOST_RECORD_UNITS) return null
  const json = valueOfRecord(record)
  const value = json === undefined ? record : json // Plain text, such as `ON`.
  const source = { value, topic, receivedAt }
  const events = eventsOfRecord(mapping, source)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return events.length > 0 || isObject || isExcluded(mapping, source) ? events : null
}

/** Returns a text as a JSON string, which is not an event: all of it if it is short, else its beginning. */
function rejectedLine(text: string): string {
  const line = JSON.stringify(text.slice(0, MAX_EVENT_BYTES))
  return text.length <= MAX_EVENT_BYTES && Buffer.byteLength(line) <= MAX_EVENT_BYTES
    ? line
    : JSON.stringify(text.slice(0, MAX_EVENT_BYTES / 8))
}
