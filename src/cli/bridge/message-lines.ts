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

/** What tells the events of a message from all others where they have no time of their own. */
export interface Stamp {
  /** Epoch ms at which the message was received. */
  at: number
  /** `seq` of its first event; the others follow. */
  seq: number
}

/** A larger message, or one of more records, is rejected whole. */
const MOST_BYTES = MAX_BATCH_BYTES
const MOST_RECORDS = 1_000_000
/** A larger record is rejected: as values it could take more memory than there is. */
const MOST_RECORD_UNITS = 4 * 1024 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Yields the lines (sink.ts) of a message's events, one by one, so that a long array takes no memory. What cannot be an
 * event is a line too, of its text or the beginning of it: it is rejected where people look for it. An empty message
 * has no lines: it clears a retained one. `onEmpty` is called for each record from which the mapping makes no event.
 */
export function* linesOfMessage(
  mapping: Mapping | null,
  { topic, payload }: Message,
  stamp: Stamp,
  onEmpty: () => void,
): Generator<string> {
  if (payload.length === 0) return
  const text = textOf(payload)
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

/** The text of a message; null where it is not UTF-8 (its text might be a good event, of another device) or too large. */
function textOf(payload: Buffer): string | null {
  if (payload.length > MOST_BYTES) return null
  try {
    return utf8.decode(payload).trim()
  } catch {
    return null
  }
}

/** The texts of a message's records: the elements of an array, else the message itself. Null where they are too many. */
function recordsOf(text: string): Iterable<string> | null {
  const count = countElements(text)
  if (count === null) return [text]
  return count <= MOST_RECORDS ? splitArray(text) : null
}

/** The value of a record; undefined where it is not JSON. */
const valueOfRecord = (record: string): unknown =>
  record.length > MOST_RECORD_UNITS ? undefined : parsedOrUndefined(record)

function unmappedLine(record: string): string {
  const value = valueOfRecord(record)
  if (value === undefined) return rejectedLine(record)
  // As it came, where that is a line; within a JSON text line breaks are nothing but space.
  const line = record.replace(/[\r\n]/g, ' ')
  return Buffer.byteLength(line) <= MAX_EVENT_BYTES ? line : lineOf(value)
}

/** Null where the record is to be rejected: it is not an object, and makes no event although no `when` excludes it. */
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

/** A text as a JSON string, which is not an event: all of it where it is short, else its beginning. */
function rejectedLine(text: string): string {
  const line = JSON.stringify(text.slice(0, MAX_EVENT_BYTES))
  return text.length <= MAX_EVENT_BYTES && Buffer.byteLength(line) <= MAX_EVENT_BYTES
    ? line
    : JSON.stringify(text.slice(0, MAX_EVENT_BYTES / 8))
}
