import { parseWallClock } from '../time.ts'
import { zoneOf } from '../zone.ts'
import { type AtSource, BOOLEANS, type FieldSource, type Mapping, type Source, TEXTS, UNITS } from './mapping.ts'

/** A record as a mapping sees it. */
export interface SourceRecord {
  /** A JSON value; of a CSV file an object of texts, where an empty one is none. */
  value: unknown
  /** The levels of the topic that a message came on. */
  topic?: readonly string[]
  /** Epoch ms. */
  receivedAt: number
}

/** The events of a record: none where it has nothing that is mapped. */
export function eventsOfRecord(mapping: Mapping, record: SourceRecord): Record<string, unknown>[] {
  const events: Record<string, unknown>[] = []
  for (const { type, fields, when } of mapping.events) {
    if (when !== null && memberOf(record.value, when.from) !== when.equals) continue
    const own: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const read = readField(name, field, mapping, record)
      if (read !== undefined) own[name] = read
    }
    const isThere = fields.some(([name, { source }]) => 'from' in source && name in own)
    if (isThere || (when !== null && fields.length > 0 && Object.keys(own).length > 0)) events.push({ type, ...own })
  }
  if (events.length === 0) return events
  const seq = mapping.seq === null ? undefined : readField('seq', mapping.seq, mapping, record)
  const head = {
    deviceId: textIfNumber(sourceValue(mapping.deviceId, record)),
    at: instantOf(mapping.at, record),
    ...(seq === undefined ? {} : { seq }),
  }
  return events.map((event) => ({ ...head, ...event }))
}

function sourceValue(source: Source, { value, topic }: SourceRecord): unknown {
  if ('value' in source) return source.value
  return 'topic' in source ? topic?.[source.topic] : memberOf(value, source.from)
}

/** Undefined where it is not there, null, or an empty text. */
function memberOf(value: unknown, path: string): unknown {
  let member = value
  if (path !== '$') {
    // A column may have dots in its name.
    const names = Object.hasOwn(Object(value), path) ? [path] : path.split('.')
    for (const name of names) member = Object.hasOwn(Object(member), name) ? (member as never)[name] : undefined
  }
  return member === null || member === '' ? undefined : member
}

/** Each text can be matched in one way only: a megabyte of digits takes no longer than it takes to read. */
const NUMBER = /^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i

function numberOf(value: unknown, decimalComma: boolean): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const text = decimalComma ? value.replace(',', '.') : value
  return NUMBER.test(text) ? Number(text) : null
}

function readField(name: string, field: FieldSource, { decimalComma }: Mapping, record: SourceRecord): unknown {
  const value = sourceValue(field.source, record)
  if (value === undefined || TEXTS.includes(name)) return value
  if (BOOLEANS.includes(name)) {
    // An object may have a `toString` of its own that is no function.
    if (typeof value === 'object') return value
    const text = String(value).trim().toLowerCase()
    if (field.isTrue.some((one) => one.toLowerCase() === text)) return true
    return field.isFalse.some((one) => one.toLowerCase() === text) ? false : value
  }
  const number = numberOf(value, decimalComma)
  if (number === null) return value
  return (field.unit === null ? number : UNITS[field.unit](number)) * field.scale + field.offset
}

/** Serial numbers are texts, also where they are written as numbers. */
const textIfNumber = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value)

function instantOf(at: AtSource, { value, receivedAt }: SourceRecord): unknown {
  if ('received' in at) return receivedAt
  const told = memberOf(value, at.from)
  if (at.format === 'rfc3339') return told
  if (at.format === 'local') {
    const wallMs = typeof told === 'string' ? parseWallClock(told.trim()) : null
    return wallMs === null ? told : zoneOf(at.timezone).firstInstantAt(wallMs)
  }
  const number = numberOf(told, false)
  if (number === null) return told
  return Math.round(at.format === 'epoch-seconds' ? number * 1000 : number)
}
