import { numberText, parseDecimal } from './decimal.ts'
import { LocalClocks } from './local-clock.ts'
import type { Condition, FieldSource, Mapping, Source } from './mapping.ts'
import type { AtSource } from './mapping-at.ts'
import { readInstant } from './read-instant.ts'

/** A record as a mapping sees it. */
export interface SourceRecord {
  /** A JSON value. For a row of a file, an object with the text of each cell. */
  value: unknown
  /** The levels of the topic that a message came on. */
  topic?: readonly string[]
  /** Epoch ms. */
  receivedAt: number
  /** Number of a row in its run: the `seq` of rows that have no time of their own. */
  row?: number
}

/**
 * Returns the events of a record; an empty array if nothing of it is mapped. All records of a run must be passed in
 * order and with the same `clocks`, which resolve the times of a repeated hour.
 */
export function eventsOfRecord(
  mapping: Mapping,
  record: SourceRecord,
  clocks = new LocalClocks(),
): Record<string, unknown>[] {
  const deviceId = textIfNumber(sourceValue(mapping.deviceId, record))
  // Read even for a record without events: its time tells which pass of a repeated hour its device is in.
  const head = { deviceId, at: instantOf(mapping, record, { deviceId, clocks }), ...seqOf(mapping, record) }
  const events: Record<string, unknown>[] = []
  for (const { type, fields, when } of mapping.events) {
    if (isLeftOut(when, mapping, record)) continue
    const own: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const read = readField(field, mapping, record)
      if (read !== undefined) own[name] = read
    }
    const isThere = fields.some(([name, { source }]) => 'from' in source && name in own)
    if (isThere || (when !== null && fields.length > 0 && Object.keys(own).length > 0))
      events.push({ ...head, type, ...own })
  }
  return events
}

/** Tells whether `when` excludes every entry of the mapping: then the record is not meant to make events. */
export const isExcluded = (mapping: Mapping, record: SourceRecord): boolean =>
  mapping.events.every(({ when }) => isLeftOut(when, mapping, record))

const isLeftOut = (when: readonly Condition[] | null, mapping: Mapping, record: SourceRecord): boolean =>
  when !== null && !when.every((condition) => holds(condition, mapping, record))

function seqOf(mapping: Mapping, record: SourceRecord): { seq?: unknown } {
  const ofRow = 'received' in mapping.at ? record.row : undefined
  const seq = mapping.seq === null ? ofRow : readField(mapping.seq, mapping, record)
  return seq === undefined ? {} : { seq }
}

function sourceValue(source: Source, { value, topic }: SourceRecord): unknown {
  if ('value' in source) return source.value
  return 'topic' in source ? topic?.[source.topic] : memberOf(value, source.from)
}

/** Returns the member at a path; undefined if it is missing, null, or an empty text. */
function memberOf(value: unknown, path: string): unknown {
  let member = value
  if (path !== '$') {
    // A column may have dots in its name.
    const names = isObject(value) && Object.hasOwn(value, path) ? [path] : path.split('.')
    for (const name of names) member = isObject(member) && Object.hasOwn(member, name) ? member[name] : undefined
  }
  return member === null || member === '' ? undefined : member
}

/** Excludes texts, whose characters are not members of a record. */
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Returns the trimmed text of a text, number or boolean; null for anything else. */
function plainText(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim()
    : null
}

function holds({ from, equals, notEquals, above, below }: Condition, mapping: Mapping, record: SourceRecord): boolean {
  const value = memberOf(record.value, from)
  const text = value === undefined ? '' : plainText(value)
  if ((equals !== undefined && text !== equals) || text === notEquals) return false
  if (above === undefined && below === undefined) return true
  const number = numberOf(value, mapping)
  return number !== null && Number(number) > (above ?? -Infinity) && Number(number) < (below ?? Infinity)
}

/** Returns a number as text; null if the value is not a number. */
function numberOf(value: unknown, { decimalComma }: Mapping): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? numberText(value, decimalComma) : null
}

function readField(field: FieldSource, mapping: Mapping, record: SourceRecord): unknown {
  const value = sourceValue(field.source, record)
  if (value === undefined || field.kind === 'text' || field.kind === 'timezone') return value
  if (field.kind === 'boolean') {
    const text = plainText(value)?.toLowerCase()
    if (field.isTrue.some((one) => one.toLowerCase() === text)) return true
    return field.isFalse.some((one) => one.toLowerCase() === text) ? false : value
  }
  const text = numberOf(value, mapping)
  if (text === null) return value
  if (field.convert === null) return Number(text)
  const number = parseDecimal(text)
  return number === null ? value : field.convert(number)
}

/** Makes a number a text: serial numbers are texts, even if they are written as numbers. */
const textIfNumber = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value)

function instantOf(
  { at, decimalComma }: { at: AtSource; decimalComma: boolean },
  { value, receivedAt }: SourceRecord,
  { deviceId: device, clocks }: { deviceId: unknown; clocks: LocalClocks },
): unknown {
  if ('received' in at) return receivedAt
  const { format } = at
  const parts = at.from.map((path) => memberOf(value, path))
  const [first] = parts
  // A number in a message is epoch milliseconds, as in events.
  if (parts.length === 1 && (plainText(first) === null || (format.name === 'rfc3339' && typeof first === 'number')))
    return first
  const text = parts
    .map((part) => plainText(part) ?? '')
    .join(' ')
    .trim()
  return text === '' ? undefined : readInstant(text, { format, decimalComma, device, clocks })
}
