import { millisecondsInDay } from '../base/time.ts'
import { zoneName } from '../base/zone.ts'
import { isBadRow } from './bad-row.ts'
import type { EventBatch, EventHead } from './event-batch.ts'
import { ABSENT, Kind, NO_SEQ, totalHigh, totalLow } from './event-columns.ts'
import { parseRfc3339 } from './parse-at.ts'
import type { Reason } from './reasons.ts'
import { BOUNDS } from './telemetry-event.ts'

/** An integer `at` below this is taken for seconds: as milliseconds it would be before 1973-03-03. */
export const LEAST_EPOCH_MS = 10 ** 11
/** 2000-01-01T00:00:00Z. */
export const EARLIEST_AT = 946_684_800_000

/** What the checks depend on beside the event. */
export interface CheckContext {
  /** Instant of landing, epoch ms; an event may be at most 24 h after it. */
  landedAt: number
  /** Raw events before this instant (epoch ms) have been deleted. */
  purgedBefore: number
}

type Fields = Record<string, unknown>

/**
 * Checks one event by RULES.md section 2 and, where it is good, adds its kept values to the batch. Gives the reason
 * where it is not; then nothing is added. Never throws, whatever the value.
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
  const seq = own(fields, 'seq')
  const seqFault = seq === undefined ? null : integerFault(seq, 0, BOUNDS.safeInteger)
  const event = {
    fields,
    deviceId,
    at,
    seq: seqFault === null && seq !== undefined ? (seq as number) : NO_SEQ,
    seqFault,
  }
  switch (own(fields, 'type')) {
    case 'door':
      return checkDoor(event, batch)
    case 'temperature':
      return checkTemperature(event, batch)
    case 'power':
      return checkPower(event, batch)
    case 'gps':
      return checkFix(event, batch)
    case 'visitor':
      return checkVisitor(event, batch)
    case 'placement':
      return checkPlacement(event, batch)
    default:
      return 'unknown-type'
  }
}

/** Of which device-day a rejected value tells, as far as it can be read. */
export function headOf(value: unknown): EventHead {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { deviceId: null, at: null }
  const deviceId = own(value as Fields, 'deviceId')
  const at = instantOf(own(value as Fields, 'at'))
  return {
    deviceId: isDeviceId(deviceId) ? deviceId : null,
    at: typeof at === 'number' && Number.isSafeInteger(at) ? at : null,
  }
}

export const isDeviceId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= BOUNDS.deviceIdUnits

interface CheckedHead {
  fields: Fields
  deviceId: string
  at: number
  seq: number
  seqFault: Fault
}

/** A fault of one field; of several the worst is told, and `not-a-number` comes before `out-of-range`. */
type Fault = 'not-a-number' | 'out-of-range' | null

/** A field of the event itself: what it inherits (`constructor`, say) is none of its fields. */
function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function instantOf(at: unknown): number | 'bad-at' | 'at-in-seconds' {
  if (typeof at === 'string') return parseRfc3339(at) ?? 'bad-at'
  if (!Number.isInteger(at)) return 'bad-at'
  return (at as number) < LEAST_EPOCH_MS ? 'at-in-seconds' : (at as number)
}

function numberFault(value: unknown, min: number, max: number): Fault {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'not-a-number'
  return value < min || value > max ? 'out-of-range' : null
}

function integerFault(value: unknown, min: number, max: number): Fault {
  if (!Number.isInteger(value)) return 'not-a-number'
  return (value as number) < min || (value as number) > max ? 'out-of-range' : null
}

function worst(one: Fault, other: Fault): Fault {
  return one === 'not-a-number' || other === null ? one : other
}

/** Sign and half away from zero, as RULES.md 2 keeps a reading: in thousandths, or in 1e-7 degree. */
export const fixedPoint = (value: number, scale: number): number =>
  value < 0 ? -Math.floor(-value * scale + 0.5) : Math.floor(value * scale + 0.5)

function checkDoor({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const open = own(fields, 'open')
  const count = own(fields, 'count')
  if (open === undefined && count === undefined) return 'missing-field'
  if (open !== undefined && count !== undefined) return 'one-of-two'
  if (count === undefined) {
    if (typeof open !== 'boolean') return 'not-a-boolean'
    if (seqFault !== null) return seqFault
    batch.add(deviceId, at, seq, Kind.doorState, open ? 1 : 0, 0)
    return null
  }
  const fault = worst(seqFault, integerFault(count, BOUNDS.doorCount.min, BOUNDS.doorCount.max))
  if (fault !== null) return fault
  batch.add(deviceId, at, seq, Kind.doorCount, count as number, 0)
  return null
}

function checkTemperature({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const celsius = own(fields, 'celsius')
  const setpoint = own(fields, 'setpoint')
  if (celsius === undefined && setpoint === undefined) return 'missing-field'
  const { min, max } = BOUNDS.celsius
  const celsiusFault = celsius === undefined ? null : numberFault(celsius, min, max)
  const setpointFault = setpoint === undefined ? null : numberFault(setpoint, min, max)
  const fault = worst(seqFault, worst(celsiusFault, setpointFault))
  if (fault !== null) return fault
  const kept = (reading: unknown): number => (reading === undefined ? ABSENT : fixedPoint(reading as number, 1000))
  batch.add(deviceId, at, seq, Kind.temperature, kept(celsius), kept(setpoint))
  return null
}

function checkPower({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const on = own(fields, 'on')
  if (on === undefined) return 'missing-field'
  if (typeof on !== 'boolean') return 'not-a-boolean'
  if (seqFault !== null) return seqFault
  batch.add(deviceId, at, seq, Kind.power, on ? 1 : 0, 0)
  return null
}

function checkVisitor({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const count = own(fields, 'count')
  const total = own(fields, 'total')
  if (count === undefined && total === undefined) return 'missing-field'
  if (count !== undefined && total !== undefined) return 'one-of-two'
  const bounds = count === undefined ? { min: 0, max: BOUNDS.safeInteger } : BOUNDS.visitorCount
  const fault = worst(seqFault, integerFault(count ?? total, bounds.min, bounds.max))
  if (fault !== null) return fault
  if (count !== undefined) batch.add(deviceId, at, seq, Kind.visitorCount, count as number, 0)
  else batch.add(deviceId, at, seq, Kind.visitorTotal, totalLow(total as number), totalHigh(total as number))
  return null
}

function checkFix({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const lat = own(fields, 'lat')
  const lon = own(fields, 'lon')
  const accuracy = own(fields, 'accuracy')
  const address = own(fields, 'address') ?? null
  if (lat === undefined || lon === undefined) return 'missing-field'
  const accuracyFault = accuracy === undefined ? null : numberFault(accuracy, 0, Infinity)
  const fault = worst(worst(seqFault, positionFault(lat, lon)), worst(accuracyFault, addressFault(address)))
  if (fault !== null) return fault
  if (lat === 0 && lon === 0) return 'null-island'
  if (accuracy !== undefined && (accuracy as number) > BOUNDS.accuracyMeters.worst) return 'coarse-fix'
  if (address) batch.addresses.set(batch.count, address as string)
  batch.add(deviceId, at, seq, Kind.fix, fixedPoint(lat as number, 1e7), fixedPoint(lon as number, 1e7))
  return null
}

function checkPlacement({ fields, deviceId, at, seq, seqFault }: CheckedHead, batch: EventBatch): Reason | null {
  const lat = own(fields, 'lat')
  const lon = own(fields, 'lon')
  const timezone = own(fields, 'timezone') ?? null
  const address = own(fields, 'address') ?? null
  if (lat === undefined || lon === undefined) return 'missing-field'
  const fault = worst(worst(seqFault, positionFault(lat, lon)), addressFault(address))
  if (fault !== null) return fault
  const zone = timezone === null ? '' : zoneName(timezone)
  if (zone === null) return 'bad-timezone'
  batch.placements.push({
    device: batch.deviceIndex(deviceId),
    at,
    seq,
    lat: fixedPoint(lat as number, 1e7),
    lon: fixedPoint(lon as number, 1e7),
    zone,
    address: (address as string | null) || null,
  })
  return null
}

function positionFault(lat: unknown, lon: unknown): Fault {
  const { latitude, longitude } = BOUNDS
  return worst(numberFault(lat, latitude.min, latitude.max), numberFault(lon, longitude.min, longitude.max))
}

function addressFault(address: unknown): Fault {
  return address === null || (typeof address === 'string' && address.length <= BOUNDS.addressUnits)
    ? null
    : 'out-of-range'
}
