import { BOUNDS } from '../enqueue/telemetry-event.ts'
import { ABSENT, Kind, NO_SEQ, totalHigh, totalLow } from '../raw/event-columns.ts'
import { millisecondsInDay } from '../time.ts'
import { isZoneName } from '../zone.ts'
import { type CheckContext, EARLIEST_AT, fixedPoint } from './check-event.ts'
import type { EventBatch } from './event-batch.ts'
import type { ScannedEvent } from './scan-event.ts'
import type { DeviceIds } from './scan-ids.ts'
import { Field, Type } from './scan-keys.ts'

// What other modules export is looked up anew whenever it is used, which is felt here: hence constants of this module.
const { deviceId: DEVICE_ID, type: TYPE, at: AT, seq: SEQ, open: OPEN, count: COUNT, on: ON, total: TOTAL } = Field
const { celsius: CELSIUS, setpoint: SETPOINT, lat: LAT, lon: LON, accuracy: ACCURACY } = Field
const { address: ADDRESS, timezone: TIMEZONE } = Field
const { door: DOOR, temperature: TEMPERATURE, power: POWER, gps: GPS, visitor: VISITOR, placement: PLACEMENT } = Type
const { doorState: DOOR_STATE, doorCount: DOOR_COUNT, temperature: TEMPERATURES, power: POWER_STATE, fix: FIX } = Kind
const { visitorCount: VISITOR_COUNT, visitorTotal: VISITOR_TOTAL } = Kind
const { min: COLDEST, max: WARMEST } = BOUNDS.celsius
const { min: SOUTHMOST, max: NORTHMOST } = BOUNDS.latitude
const { min: WESTMOST, max: EASTMOST } = BOUNDS.longitude
const { min: LEAST_DOORS, max: MOST_DOORS } = BOUNDS.doorCount
const { min: LEAST_VISITORS, max: MOST_VISITORS } = BOUNDS.visitorCount
const { worst: WORST_ACCURACY } = BOUNDS.accuracyMeters
const MOST_SEQ = BOUNDS.safeInteger
const MOST_TOTAL = BOUNDS.safeInteger
const WITHOUT_SEQ = NO_SEQ
const WITHOUT_READING = ABSENT
const DAY_MS = millisecondsInDay
const EARLIEST = EARLIEST_AT
const kept = fixedPoint

/** In place of a reading that is none. */
const BAD_READING = Number.MIN_SAFE_INTEGER
/** In place of the `seq` of an event that is not to land. */
const BAD_SEQ = -2

/**
 * Lands events that were scanned, by the checks of checkEvent, but without reasons: it answers false, and has changed
 * nothing, where checkEvent must be asked since it would or might reject the event.
 */
export class ScannedLanding {
  readonly #event: ScannedEvent
  readonly #ids: DeviceIds

  constructor(event: ScannedEvent, ids: DeviceIds) {
    this.#event = event
    this.#ids = ids
  }

  land(context: CheckContext, batch: EventBatch): boolean {
    const event = this.#event
    if (!has(event.present, DEVICE_ID) || !has(event.present, TYPE) || !isTimely(event, context)) return false
    const seq = seqOf(event)
    if (seq === BAD_SEQ) return false
    switch (event.type) {
      case DOOR:
        return this.#landDoor(batch, seq)
      case TEMPERATURE:
        return this.#landTemperature(batch, seq)
      case POWER:
        return this.#landPower(batch, seq)
      case GPS:
        return this.#landFix(batch, seq)
      case VISITOR:
        return this.#landVisitor(batch, seq)
      case PLACEMENT:
        return this.#landPlacement(batch, seq)
      default:
        return false
    }
  }

  #landDoor(batch: EventBatch, seq: number): boolean {
    const event = this.#event
    if (!has(event.present, COUNT)) {
      const isOpen = has(event.true, OPEN)
      return (isOpen || has(event.false, OPEN)) && this.#add(batch, seq, DOOR_STATE, isOpen ? 1 : 0, 0)
    }
    if (has(event.present, OPEN) || !has(event.numeric, COUNT)) return false
    const count = event.numbers[COUNT]
    return isInteger(count, LEAST_DOORS, MOST_DOORS) && this.#add(batch, seq, DOOR_COUNT, count, 0)
  }

  #landTemperature(batch: EventBatch, seq: number): boolean {
    const event = this.#event
    if (!has(event.present, CELSIUS) && !has(event.present, SETPOINT)) return false
    const celsius = readingOf(event, CELSIUS)
    const setpoint = readingOf(event, SETPOINT)
    if (celsius === BAD_READING || setpoint === BAD_READING) return false
    return this.#add(batch, seq, TEMPERATURES, celsius, setpoint)
  }

  #landPower(batch: EventBatch, seq: number): boolean {
    const isOn = has(this.#event.true, ON)
    return (isOn || has(this.#event.false, ON)) && this.#add(batch, seq, POWER_STATE, isOn ? 1 : 0, 0)
  }

  #landVisitor(batch: EventBatch, seq: number): boolean {
    const { present, numeric, numbers } = this.#event
    if (has(present, COUNT) === has(present, TOTAL)) return false
    if (has(numeric, COUNT)) {
      const count = numbers[COUNT]
      return isInteger(count, LEAST_VISITORS, MOST_VISITORS) && this.#add(batch, seq, VISITOR_COUNT, count, 0)
    }
    if (!has(numeric, TOTAL)) return false
    const total = numbers[TOTAL]
    if (!isInteger(total, 0, MOST_TOTAL)) return false
    return this.#add(batch, seq, VISITOR_TOTAL, totalLow(total), totalHigh(total))
  }

  #landFix(batch: EventBatch, seq: number): boolean {
    const event = this.#event
    if (!isPlaced(event) || !isAccurate(event)) return false
    const lat = event.numbers[LAT]
    const lon = event.numbers[LON]
    if (lat === 0 && lon === 0) return false
    if (has(event.present, ADDRESS)) {
      const address = addressOf(event)
      if (address === undefined) return false
      if (address !== null) batch.addresses.set(batch.count, address)
    }
    return this.#add(batch, seq, FIX, kept(lat, 1e7), kept(lon, 1e7))
  }

  #landPlacement(batch: EventBatch, seq: number): boolean {
    const event = this.#event
    if (!isPlaced(event)) return false
    const zone = zoneOf(event)
    const address = addressOf(event)
    if (zone === undefined || address === undefined) return false
    batch.placements.push({
      device: this.#ids.indexOf(event.device, batch),
      at: event.numbers[AT],
      seq,
      lat: kept(event.numbers[LAT], 1e7),
      lon: kept(event.numbers[LON], 1e7),
      zone,
      address,
    })
    return true
  }

  /** What batch.add does, but without a string of the id. Always true. */
  #add(batch: EventBatch, seq: number, kind: number, a: number, b: number): boolean {
    const { device, numbers } = this.#event
    const row = batch.count
    if (row === batch.at.length) {
      // Only the batch itself can grow its columns.
      batch.add(this.#ids.idOf(device), numbers[AT], seq, kind, a, b)
      return true
    }
    batch.count = row + 1
    batch.device[row] = this.#ids.indexOf(device, batch)
    batch.at[row] = numbers[AT]
    batch.kind[row] = kind
    batch.a[row] = a
    batch.b[row] = b
    batch.seq[row] = seq
    if (seq !== WITHOUT_SEQ) batch.hasSeq = true
    return true
  }
}

/** Whether a field is in a set of fields. */
const has = (fields: number, field: number): boolean => (fields & (1 << field)) !== 0

function isTimely({ numeric, numbers, type }: ScannedEvent, { landedAt, purgedBefore }: CheckContext): boolean {
  const at = numbers[AT]
  if (!has(numeric, AT) || !Number.isInteger(at)) return false
  if (at < EARLIEST || at > landedAt + DAY_MS) return false
  return !(at < purgedBefore) || type === PLACEMENT
}

function seqOf({ present, numeric, numbers }: ScannedEvent): number {
  if (!has(present, SEQ)) return WITHOUT_SEQ
  const seq = numbers[SEQ]
  return has(numeric, SEQ) && isInteger(seq, 0, MOST_SEQ) ? seq : BAD_SEQ
}

/** In thousandths; ABSENT where there is none. */
function readingOf({ present, numeric, numbers }: ScannedEvent, field: number): number {
  if (!has(present, field)) return WITHOUT_READING
  const celsius = numbers[field]
  return has(numeric, field) && isWithin(celsius, COLDEST, WARMEST) ? kept(celsius, 1000) : BAD_READING
}

const isPlaced = ({ numeric, numbers }: ScannedEvent): boolean =>
  has(numeric, LAT) &&
  has(numeric, LON) &&
  isWithin(numbers[LAT], SOUTHMOST, NORTHMOST) &&
  isWithin(numbers[LON], WESTMOST, EASTMOST)

function isAccurate({ present, numeric, numbers }: ScannedEvent): boolean {
  return !has(present, ACCURACY) || (has(numeric, ACCURACY) && isWithin(numbers[ACCURACY], 0, WORST_ACCURACY))
}

/** Null where there is none, undefined where it is none. */
function addressOf(event: ScannedEvent): string | null | undefined {
  if (!has(event.present, ADDRESS) || has(event.null, ADDRESS)) return null
  const address = textOf(event, ADDRESS)
  return address === undefined || address.length > BOUNDS.addressUnits ? undefined : address
}

/** '' where there is none, undefined where it is none. */
function zoneOf(event: ScannedEvent): string | undefined {
  if (!has(event.present, TIMEZONE)) return ''
  const zone = textOf(event, TIMEZONE)
  return isZoneName(zone) ? zone : undefined
}

/** Undefined where the field is no text, or one with escapes. */
function textOf({ bytes, textual, textStarts, textEnds }: ScannedEvent, field: number): string | undefined {
  if (!has(textual, field)) return undefined
  const text = bytes.toString('utf8', textStarts[field], textEnds[field])
  return text.includes('\\') ? undefined : text
}

const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max

const isInteger = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max
