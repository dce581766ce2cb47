import { EVENT_TYPES, type EventType } from '../../src/event/fields.ts'
import { BOUNDS } from './bounds.ts'
import { DAY_MS } from './durations.ts'
import { ianaSpelling, isIanaName } from './iana-name.ts'
import type { KeptEvent } from './kept-event.ts'
import { parseRfc3339 } from './rfc3339.ts'

/** An own field; a field that is `undefined` is absent. */
type Field = (name: string) => unknown

/** The number fields of each type, `seq` and `accuracy` among them. */
const NUMBER_FIELDS: Record<EventType, string[]> = {
  door: ['seq', 'count'],
  temperature: ['seq', 'celsius', 'setpoint'],
  power: ['seq'],
  gps: ['seq', 'lat', 'lon', 'accuracy'],
  visitor: ['seq', 'count', 'total'],
  placement: ['seq', 'lat', 'lon'],
}
const INTEGER_FIELDS = ['seq', 'count', 'total']

/** Lowest and highest value; `accuracy` has no highest one, since a worse one has its own reason. */
function boundsOf(type: EventType, name: string): [number, number] {
  if (name === 'seq' || name === 'total') return [0, 2 ** 53 - 1]
  if (name === 'count') return type === 'door' ? [1, 100_000] : [0, 1_000_000]
  if (name === 'lat') return [-90, 90]
  if (name === 'lon') return [-180, 180]
  if (name === 'accuracy') return [0, Number.POSITIVE_INFINITY]
  return [-60, 80]
}

function instantOf(at: unknown): number | null {
  if (typeof at === 'string') return parseRfc3339(at)
  return Number.isInteger(at) ? (at as number) : null
}

/** Each type's fields of which at least one must be present, or all of them; and pairs that exclude each other. */
const ANY_OF: Partial<Record<EventType, string[]>> = {
  door: ['open', 'count'],
  temperature: ['celsius', 'setpoint'],
  power: ['on'],
  visitor: ['count', 'total'],
}
const ALL_OF: Partial<Record<EventType, string[]>> = { gps: ['lat', 'lon'], placement: ['lat', 'lon'] }
const EITHER: Partial<Record<EventType, string[]>> = { door: ['open', 'count'], visitor: ['count', 'total'] }
const BOOLEAN: Partial<Record<EventType, string>> = { door: 'open', power: 'on' }

function presenceReason(type: EventType, field: Field): string | null {
  const has = (name: string) => field(name) !== undefined
  const any = ANY_OF[type]
  if (any !== undefined && !any.some(has)) return 'missing-field'
  if (ALL_OF[type]?.every(has) === false) return 'missing-field'
  if (EITHER[type]?.every(has)) return 'one-of-two'
  const flag = BOOLEAN[type]
  return flag !== undefined && has(flag) && typeof field(flag) !== 'boolean' ? 'not-a-boolean' : null
}

function isNoNumber(name: string, value: unknown): boolean {
  return INTEGER_FIELDS.includes(name) ? !Number.isInteger(value) : !Number.isFinite(value)
}

function isAddressTooOdd(address: unknown): boolean {
  if (address === undefined || address === null) return false
  return typeof address !== 'string' || address.length > BOUNDS.addressUnits
}

/** The reason to reject the fields of a known type, or null: those of section 2 from `missing-field` on, in their order. */
function fieldReason(type: EventType, field: Field): string | null {
  const absent = presenceReason(type, field)
  if (absent !== null) return absent
  const present = NUMBER_FIELDS[type].filter((name) => field(name) !== undefined)
  if (present.some((name) => isNoNumber(name, field(name)))) return 'not-a-number'
  const isOutside = (name: string) => {
    const [lowest, highest] = boundsOf(type, name)
    return (field(name) as number) < lowest || (field(name) as number) > highest
  }
  if (present.some(isOutside)) return 'out-of-range'
  if ((type === 'gps' || type === 'placement') && isAddressTooOdd(field('address'))) return 'out-of-range'
  if (type === 'gps' && field('lat') === 0 && field('lon') === 0) return 'null-island'
  if (type === 'gps' && (field('accuracy') as number) > 500) return 'coarse-fix'
  const timezone = type === 'placement' ? (field('timezone') ?? null) : null
  if (timezone !== null && (typeof timezone !== 'string' || !isIanaName(timezone))) return 'bad-timezone'
  return null
}

/** sign(x) * floor(|x| * scale + 0.5), never -0. */
function fixedPoint(value: number, scale: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) * scale + 0.5) + 0
}

function keep(type: EventType, deviceId: string, at: number, field: Field): KeptEvent {
  const has = (name: string) => NUMBER_FIELDS[type].includes(name) && field(name) !== undefined
  const integer = (name: string) => (has(name) ? (field(name) as number) + 0 : null)
  const fixed = (name: string, scale: number) => (has(name) ? fixedPoint(field(name) as number, scale) : null)
  return {
    deviceId,
    at,
    seq: integer('seq'),
    type,
    on: type === 'power' ? (field('on') as boolean) : null,
    open: type === 'door' ? ((field('open') ?? null) as boolean | null) : null,
    count: integer('count'),
    total: integer('total'),
    celsius: fixed('celsius', 1000),
    setpoint: fixed('setpoint', 1000),
    lat: fixed('lat', 1e7),
    lon: fixed('lon', 1e7),
    timezone:
      type === 'placement' && (field('timezone') ?? null) !== null ? ianaSpelling(field('timezone') as string) : null,
    address: type === 'gps' || type === 'placement' ? (field('address') as string | null | undefined) || null : null,
  }
}

/**
 * What RULES.md section 2 makes of a value that is enqueued as an event: the first reason to reject it, or the event
 * as it is kept. Raw events before `rawPurgedBeforeMs` have been deleted.
 */
export function checkEvent(
  value: unknown,
  landedAtMs: number,
  rawPurgedBeforeMs = Number.NEGATIVE_INFINITY,
): { reason: string } | { event: KeptEvent } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { reason: 'not-an-object' }
  const field: Field = (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined)

  const deviceId = field('deviceId')
  if (typeof deviceId !== 'string' || deviceId.length < 1 || deviceId.length > 256) return { reason: 'bad-device-id' }

  const at = instantOf(field('at'))
  if (at === null) return { reason: 'bad-at' }
  if (typeof field('at') === 'number' && at < 1e11) return { reason: 'at-in-seconds' }
  if (at < Date.UTC(2000, 0, 1)) return { reason: 'at-too-old' }
  if (at > landedAtMs + DAY_MS) return { reason: 'at-in-future' }
  if (at < rawPurgedBeforeMs) return { reason: 'raw-purged' }

  const type = EVENT_TYPES.find((name) => name === field('type'))
  if (type === undefined) return { reason: 'unknown-type' }
  const reason = fieldReason(type, field)
  return reason === null ? { event: keep(type, deviceId, at, field) } : { reason }
}
