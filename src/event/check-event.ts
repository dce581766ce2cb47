import { millisecondsInDay } from '../base/time.ts'
import { zoneName } from '../base/zone.ts'
import { isBadRow } from './bad-row.ts'
import { CHECKED_TYPES, type CheckedType, faultOf, own } from './check-fields.ts'
import type { EventBatch, EventHead } from './event-batch.ts'
import { NO_SEQ } from './event-columns.ts'
import { EVENT_FIELDS, MAX_ID_UNITS, WORST_ACCURACY } from './fields.ts'
import { columnA, columnB, fixedPoint } from './kept-values.ts'
import { parseRfc3339 } from './parse-at.ts'
import type { Reason } from './reasons.ts'

/** An integer `at` below this is assumed to be in seconds: in milliseconds it would be before 1973-03-03. */
export const LEAST_EPOCH_MS = 10 ** 11
/** Earliest `at` of an event: 2000-01-01T00:00:00Z. */
export const EARLIEST_AT = 946_684_800_000

/** Values other than the event on which the checks depend. */
export interface CheckContext {
  /** Instant of landing, epoch ms; an event may be at most 24 h after it. */
  landedAt: number
  /** Raw events before this instant (epoch ms) have been deleted. */
  purgedBefore: number
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks one event by RULES.md section 2. Adds the kept values of a valid event to the batch and returns null. Returns
 * the reason if the event is rejected, and then adds nothing. Never throws, for any value.
 */
export function checkEvent(value: unknown, { landedAt, purgedBefore }: CheckContext, batch: EventBatch): Reason | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not-an-object'
  const fields = value as Fields
  if (isBadRow(fields)) return 'bad-row'
  const deviceId = own(fields, 'deviceId')
  if (!isDeviceId(deviceId)) return 'bad-device-id'
  const at = instantOf(own(fields, 'at'))
  if (typeof at === 'string') return at
  if (at < EARLIEST_AT) return 'at-too-old'
  if (at > landedAt + millisecondsInDay) return 'at-in-future'
  if (at < purgedBefore && own(fields, 'type') !== 'placement') return 'raw-purged'
  const type = CHECKED_TYPES.get(own(fields, 'type'))
  if (type === undefined) return 'unknown-type'
  const fault = faultOf(type, fields)
  if (fault !== null) return fault
  const seq = (own(fields, 'seq') ?? NO_SEQ) as number
  return type.type === 'placement'
    ? addPlacement({ deviceId, at, seq }, fields, batch)
    : addRow(type, { deviceId, at, seq }, fields, batch)
}

/** Returns the `deviceId` and instant of a rejected value, each null if it cannot be read. */
export function headOf(value: unknown): EventHead {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { deviceId: null, at: null }
  const deviceId = own(value as Fields, 'deviceId')
  const at = instantOf(own(value as Fields, 'at'))
  return {
    deviceId: isDeviceId(deviceId) ? deviceId : null,
    at: typeof at === 'number' && Number.isSafeInteger(at) ? at : null,
  }
}

/** Tells whether a value is a valid `deviceId`: a string of 1 to MAX_ID_UNITS UTF-16 units. */
export const isDeviceId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_UNITS

function instantOf(at: unknown): number | 'bad-at' | 'at-in-seconds' {
  if (typeof at === 'string') return parseRfc3339(at) ?? 'bad-at'
  if (!Number.isInteger(at)) return 'bad-at'
  return (at as number) < LEAST_EPOCH_MS ? 'at-in-seconds' : (at as number)
}

interface CheckedHead {
  deviceId: string
  at: number
  seq: number
}

function addRow(
  { type, forms }: CheckedType,
  { deviceId, at, seq }: CheckedHead,
  fields: Fields,
  batch: EventBatch,
): Reason | null {
  if (type === 'gps') {
    if (fields.lat === 0 && fields.lon === 0) return 'null-island'
    if (((own(fields, 'accuracy') ?? 0) as number) > WORST_ACCURACY) return 'coarse-fix'
    const address = own(fields, 'address')
    if (address) batch.addresses.set(batch.count, address as string)
  }
  let form = forms[0]
  for (let next = 1; own(fields, form.a.name) === undefined && next < forms.length; next++) form = forms[next]
  const a = own(fields, form.a.name)
  const b = form.b === null ? a : own(fields, form.b.name)
  batch.add(deviceId, at, seq, form.kind, columnA(form, a), columnB(form, b))
  return null
}

function addPlacement({ deviceId, at, seq }: CheckedHead, fields: Fields, batch: EventBatch): Reason | null {
  const timezone = own(fields, 'timezone') ?? null
  const zone = timezone === null ? '' : zoneName(timezone)
  if (zone === null) return 'bad-timezone'
  const { lat, lon } = EVENT_FIELDS.placement.fields
  batch.placements.push({
    device: batch.deviceIndex(deviceId),
    at,
    seq,
    lat: fixedPoint(fields.lat as number, lat.scale),
    lon: fixedPoint(fields.lon as number, lon.scale),
    zone,
    address: ((own(fields, 'address') ?? null) as string | null) || null,
  })
  return null
}
