import { EVENT_TYPES, type EventType } from '../enqueue/telemetry-event.ts'
import { zoneName } from '../zone.ts'

/**
 * How records of somebody else's (rows of a CSV file, messages of a broker) become events:
 *
 *     {
 *       "deviceId": "serial",
 *       "at": { "from": "time", "format": "local", "timezone": "Europe/Berlin" },
 *       "events": [
 *         { "type": "temperature", "celsius": { "from": "temp", "unit": "fahrenheit" }, "setpoint": "target" },
 *         { "type": "door", "open": { "from": "door", "true": ["offen"], "false": ["zu"] } }
 *       ]
 *     }
 *
 * A text names a column, or a member of a message (`status.temp`; `$` is the whole of it). Each entry of `events` makes
 * an event of a record that has at least one of its fields, and only where its `when` holds, if it has one. What cannot
 * be read as the field needs it is passed on as it is, so that it is rejected where people look for it.
 */
export interface Mapping {
  deviceId: Source
  at: AtSource
  seq: FieldSource | null
  events: readonly Template[]
  /** Numbers are written `3,5`. */
  decimalComma: boolean
  /** Counts that have neither a time nor a `seq` of their own may be taken, although a sender's repeat counts again. */
  repeatsMayCount: boolean
}

/** A member of the record, a level of the message's topic (from 0), or always the same. */
export type Source = { from: string } | { topic: number } | { value: unknown }

export type AtSource = { from: string; format: AtFormat; timezone: string } | { received: true }

const AT_FORMATS = ['rfc3339', 'epoch-seconds', 'epoch-milliseconds', 'local'] as const
type AtFormat = (typeof AT_FORMATS)[number]

export interface FieldSource {
  source: Source
  unit: Unit | null
  scale: number
  offset: number
  isTrue: readonly string[]
  isFalse: readonly string[]
}

interface Template {
  type: EventType
  fields: readonly (readonly [name: string, field: FieldSource])[]
  when: { from: string; equals: unknown } | null
}

/** What makes degrees Celsius or metres of a number. */
export const UNITS = {
  fahrenheit: (degrees: number): number => ((degrees - 32) * 5) / 9,
  kelvin: (degrees: number): number => degrees - 273.15,
  feet: (length: number): number => length * 0.3048,
} as const
type Unit = keyof typeof UNITS

const NUMBERS = ['seq', 'count', 'total', 'celsius', 'setpoint', 'lat', 'lon', 'accuracy']
export const BOOLEANS = ['open', 'on']
export const TEXTS = ['address', 'timezone']
const FIELDS = [...NUMBERS, ...BOOLEANS, ...TEXTS]

const TRUE = ['true', '1', 'yes', 'on', 'open']
const FALSE = ['false', '0', 'no', 'off', 'closed']

/** @throws TypeError that says what is wrong */
export function readMapping(text: string): Mapping {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new TypeError(`no JSON: ${(error as Error).message}`, { cause: error })
  }
  const {
    deviceId,
    at,
    seq,
    events,
    decimalComma = false,
    repeatsMayCount = false,
    ...others
  } = objectOf(value, 'a mapping')
  refuseOthers(others, 'a mapping')
  if (!Array.isArray(events) || events.length === 0) throw new TypeError('events must be a list of at least one')
  if (typeof decimalComma !== 'boolean') throw new TypeError('decimalComma must be true or false')
  if (typeof repeatsMayCount !== 'boolean') throw new TypeError('repeatsMayCount must be true or false')
  return {
    deviceId: sourceOf(deviceId, 'deviceId'),
    at: atOf(at),
    seq: seq === undefined ? null : fieldOf(seq, 'seq'),
    events: events.map(templateOf),
    decimalComma,
    repeatsMayCount,
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new TypeError(`${what} must be an object`)
}

function refuseOthers(others: Record<string, unknown>, what: string): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new TypeError(`${what} has no ${JSON.stringify(name)}`)
}

function sourceOf(value: unknown, what: string): Source {
  if (typeof value === 'string') return { from: value }
  const { from, topic, value: constant, ...others } = objectOf(value, what)
  refuseOthers(others, what)
  if (typeof from === 'string') return { from }
  if (Number.isInteger(topic) && (topic as number) >= 0) return { topic: topic as number }
  if (constant !== undefined) return { value: constant }
  throw new TypeError(`${what} must be a name, {"from": name}, {"topic": level} or {"value": constant}`)
}

function atOf(at: unknown): AtSource {
  if (typeof at === 'string') return { from: at, format: 'rfc3339', timezone: 'UTC' }
  const { from, format = 'rfc3339', timezone = 'UTC', received, ...others } = objectOf(at, 'at')
  refuseOthers(others, 'at')
  if (received === true) return { received }
  if (typeof from !== 'string')
    throw new TypeError('at must be a name, {"from": name, "format"?} or {"received": true}')
  if (!AT_FORMATS.includes(format as AtFormat)) throw new TypeError(`at.format must be one of ${AT_FORMATS.join(', ')}`)
  if (zoneName(timezone) === null) throw new TypeError('at.timezone must be an IANA name')
  return { from, format: format as AtFormat, timezone: timezone as string }
}

function templateOf(value: unknown, index: number): Template {
  const what = `events[${index}]`
  const { type, when, ...fields } = objectOf(value, what)
  if (!EVENT_TYPES.includes(type as EventType))
    throw new TypeError(`${what}.type must be one of ${EVENT_TYPES.join(', ')}`)
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) throw new TypeError(`${what} has no ${JSON.stringify(unknown)}: use ${FIELDS.join(', ')}`)
  return {
    type: type as EventType,
    fields: Object.entries(fields).map(([name, field]) => [name, fieldOf(field, `${what}.${name}`)] as const),
    when: when === undefined ? null : whenOf(when, `${what}.when`),
  }
}

function whenOf(value: unknown, what: string): NonNullable<Template['when']> {
  const { from, equals, ...others } = objectOf(value, what)
  refuseOthers(others, what)
  if (typeof from === 'string' && equals !== undefined) return { from, equals }
  throw new TypeError(`${what} must be {"from": name, "equals": value}`)
}

function fieldOf(value: unknown, what: string): FieldSource {
  if (typeof value === 'string') return fieldOf({ from: value }, what)
  const object = objectOf(value, what)
  const { unit = null, scale = 1, offset = 0, true: isTrue = TRUE, false: isFalse = FALSE, ...source } = object
  if (unit !== null && !Object.hasOwn(UNITS, unit as string))
    throw new TypeError(`${what}.unit must be one of ${Object.keys(UNITS).join(', ')}`)
  if (typeof scale !== 'number' || typeof offset !== 'number')
    throw new TypeError(`${what}: scale and offset must be numbers`)
  const lists = [isTrue, isFalse]
  if (!lists.every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string')))
    throw new TypeError(`${what}: true and false must be lists of texts`)
  const [yes, no] = lists as string[][]
  return { source: sourceOf(source, what), unit: unit as Unit | null, scale, offset, isTrue: yes, isFalse: no }
}
