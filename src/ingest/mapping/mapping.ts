import { EVENT_TYPES, type EventType, FIELDS_BY_NAME, type Field, isEventType, SEQ } from '../../event/fields.ts'
import { add, type Decimal, multiply, parseDecimal, toNumber } from './decimal.ts'
import { type AtSource, atOf } from './mapping-at.ts'
import { objectOf, refuseOthers } from './mapping-objects.ts'

/**
 * Says how foreign records (rows of a CSV file, messages of a broker) become events:
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
 * A text names a column, or a member of a message (`status.temp`; `$` is the whole message). An entry of `events` makes
 * an event if the record has at least one of its fields and its `when` (all conditions, if it is a list) holds. A value
 * that cannot be read as its field needs it is passed on unchanged, so that it is rejected where people look for it.
 */
export interface Mapping {
  deviceId: Source
  at: AtSource
  seq: FieldSource | null
  events: readonly Template[]
  /** Numbers are written `3,5`. */
  decimalComma: boolean
  /** Allows counts without a time or `seq` of their own, although they count again if a sender repeats them. */
  repeatsMayCount: boolean
}

/** A member of the record (a column of a file), a level of the message's topic (from 0), or a constant. */
export type Source = { from: string } | { topic: number } | { value: unknown }

export interface FieldSource {
  kind: Field['kind']
  source: Source
  /** Converts a number to the field's value; null if the number is the value. */
  convert: ((number: Decimal) => number) | null
  isTrue: readonly string[]
  isFalse: readonly string[]
}

interface Template {
  type: EventType
  fields: readonly (readonly [name: string, field: FieldSource])[]
  /** All conditions must hold; null applies to every record. */
  when: readonly Condition[] | null
}

/** A condition on a member for an entry to make an event. All comparisons that are present must hold. */
export interface Condition {
  from: string
  /** Compared with the member's text. */
  equals?: string
  notEquals?: string
  /** Compared with the member's number: a member that is no number is neither above nor below. */
  above?: number
  below?: number
}

const decimal = (digits: bigint, exponent = 0): Decimal => ({ digits, exponent })

/** Functions that convert a number to degrees Celsius or metres. */
const UNITS: Readonly<Record<string, (value: Decimal) => number>> = {
  fahrenheit: (degrees) => toNumber(multiply(add(degrees, decimal(-32n)), decimal(5n)), 9n),
  kelvin: (degrees) => toNumber(add(degrees, decimal(-27_315n, -2))),
  feet: (length) => toNumber(multiply(length, decimal(3048n, -4))),
}

const FIELDS: Readonly<Record<string, Field>> = { seq: SEQ, ...FIELDS_BY_NAME }

const TRUE = ['true', '1', 'yes', 'on', 'open']
const FALSE = ['false', '0', 'no', 'off', 'closed']

/** Reads a mapping from its JSON text. @throws TypeError that says what is wrong */
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
    seq: seq === undefined ? null : fieldOf(seq, 'seq', 'seq'),
    events: events.map(templateOf),
    decimalComma,
    repeatsMayCount,
  }
}

/** Returns the names of the members of a record that a mapping reads, each once. */
export function membersOf({ deviceId, at, seq, events }: Mapping): string[] {
  const fields = events.flatMap((template) => template.fields.map(([, { source }]) => source))
  const sources = [deviceId, ...(seq === null ? [] : [seq.source]), ...fields]
  const names = sources.flatMap((source) => ('from' in source ? [source.from] : []))
  const conditions = events.flatMap(({ when }) => when?.map(({ from }) => from) ?? [])
  return [...new Set([...names, ...('from' in at ? at.from : []), ...conditions])]
}

/** Tells whether a mapping reads the topics of messages. */
export const readsTopic = ({ deviceId, seq, events }: Mapping): boolean =>
  [deviceId, seq?.source, ...events.flatMap(({ fields }) => fields.map(([, { source }]) => source))].some(
    (source) => source !== undefined && 'topic' in source,
  )

function sourceOf(value: unknown, what: string): Source {
  if (typeof value === 'string') return { from: value }
  const { from, topic, value: constant, ...others } = objectOf(value, what)
  refuseOthers(others, what)
  if (typeof from === 'string') return { from }
  if (Number.isInteger(topic) && (topic as number) >= 0) return { topic: topic as number }
  if (constant !== undefined) return { value: constant }
  throw new TypeError(`${what} must be a name, {"from": name}, {"topic": level} or {"value": constant}`)
}

function templateOf(value: unknown, index: number): Template {
  const what = `events[${index}]`
  const { type, when, ...fields } = objectOf(value, what)
  if (!isEventType(type)) throw new TypeError(`${what}.type must be one of ${EVENT_TYPES.join(', ')}`)
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(FIELDS, name))
  if (unknown !== undefined)
    throw new TypeError(`${what} has no ${JSON.stringify(unknown)}: use ${Object.keys(FIELDS).join(', ')}`)
  return {
    type,
    fields: Object.entries(fields).map(([name, field]) => [name, fieldOf(field, name, `${what}.${name}`)] as const),
    when: when === undefined ? null : [when].flat().map((one) => conditionOf(one, `${what}.when`)),
  }
}

function conditionOf(value: unknown, what: string): Condition {
  const { from, equals, notEquals, above, below, ...others } = objectOf(value, what)
  refuseOthers(others, what)
  const texts = Object.entries({ equals, notEquals }).filter(([, text]) => text !== undefined)
  const bounds = Object.entries({ above, below }).filter(([, bound]) => bound !== undefined)
  if (typeof from !== 'string' || texts.length + bounds.length === 0)
    throw new TypeError(`${what} must be {"from": name} with equals, notEquals, above or below`)
  if (!texts.every(([, text]) => ['string', 'number', 'boolean'].includes(typeof text)))
    throw new TypeError(`${what}: equals and notEquals must be texts, numbers or booleans`)
  if (!bounds.every(([, bound]) => typeof bound === 'number'))
    throw new TypeError(`${what}: above and below must be numbers`)
  return {
    from,
    ...Object.fromEntries(texts.map(([name, text]) => [name, String(text).trim()])),
    ...Object.fromEntries(bounds),
  }
}

function fieldOf(value: unknown, name: string, what: string): FieldSource {
  if (typeof value === 'string') return fieldOf({ from: value }, name, what)
  const { unit, scale, offset, true: isTrue = TRUE, false: isFalse = FALSE, ...source } = objectOf(value, what)
  const lists = [isTrue, isFalse]
  if (!lists.every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string')))
    throw new TypeError(`${what}: true and false must be lists of texts`)
  const [yes, no] = lists as string[][]
  return {
    kind: FIELDS[name].kind,
    source: sourceOf(source, what),
    convert: conversionOf({ unit, scale, offset }, what),
    isTrue: yes,
    isFalse: no,
  }
}

/** Makes a function that scales a number, then offsets it, then converts its unit, in decimals; null if not needed. */
function conversionOf(
  { unit, scale = 1, offset = 0 }: Record<'unit' | 'scale' | 'offset', unknown>,
  what: string,
): FieldSource['convert'] {
  if (unit !== undefined && unit !== null && !Object.hasOwn(UNITS, unit as string))
    throw new TypeError(`${what}.unit must be one of ${Object.keys(UNITS).join(', ')}`)
  const [factor, term] = [scale, offset].map((one) => (typeof one === 'number' ? parseDecimal(String(one)) : null))
  if (factor === null || term === null) throw new TypeError(`${what}: scale and offset must be numbers`)
  if (scale === 1 && offset === 0 && !unit) return null
  const convert = unit ? UNITS[unit as string] : toNumber
  return (number) => convert(add(multiply(number, factor), term))
}
