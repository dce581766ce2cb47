import {
  ADDRESS_BYTES_MAX,
  CELSIUS_MAX,
  CELSIUS_MIN,
  DOOR,
  DOOR_COUNT_MAX,
  DOOR_COUNT_MIN,
  EARLIEST_AT,
  GPS,
  KIND_DOOR_COUNT,
  KIND_DOOR_STATE,
  KIND_FIX,
  KIND_POWER,
  KIND_TEMPERATURE,
  KIND_VISITOR_COUNT,
  KIND_VISITOR_TOTAL,
  LATITUDE_MAX,
  LATITUDE_MIN,
  LONGITUDE_MAX,
  LONGITUDE_MIN,
  PLACEMENT,
  POSITION_SCALE,
  POWER,
  READING_SCALE,
  SAFE_INTEGER,
  TEMPERATURE,
  VISITOR,
  VISITOR_COUNT_MAX,
  VISITOR_COUNT_MIN,
  VISITOR_TOTAL_MAX,
  VISITOR_TOTAL_MIN,
  WORST_ACCURACY,
} from './event-tables'
import {
  ACCURACY,
  ADDRESS,
  AT,
  CELSIUS,
  COUNT,
  DEVICE_ID,
  LAT,
  LON,
  ON,
  OPEN,
  SEQ,
  SETPOINT,
  TIMEZONE,
  TOTAL,
  TYPE,
} from './fields'
import { device, NUMBERS, no, nothing, numeric, present, TEXT_ENDS, TEXT_STARTS, textual, type, yes } from './line'
import { ADDRESSES } from './memory'
import { addRow, rows } from './rows'

const ABSENT: i32 = i32.MIN_VALUE
const NO_SEQ: f64 = -1

/** Stands for an invalid reading; no kept reading has this value. */
const BAD_READING: i32 = i32.MAX_VALUE
/** Stands for an invalid `seq`: the event must not land. */
const BAD_SEQ: f64 = -2

/** The outcome for a scanned event: it was added to the rows. */
export const LANDED = 0
/** It is a good placement, but the host must check its texts and add it. */
export const IS_PLACEMENT = 1
/** The host must call checkEvent, which will or may reject it. Nothing has been added. */
export const ODD = 2

/** Epoch ms: events after `latest` do not land, nor events before `purgedBefore`, except placements. */
let latest: f64 = 0
let purgedBefore: f64 = 0
/** The `seq` of the event that is landing, or NO_SEQ. */
export let seq: f64 = NO_SEQ
/** Number of addresses in ADDRESSES. */
export let addresses: i32 = 0

export function setAges(latestAt: f64, purgedBeforeAt: f64): void {
  latest = latestAt
  purgedBefore = purgedBeforeAt
}

/** Lands the event that was scanned last. Makes the same checks as checkEvent, but gives no reasons. */
export function land(): i32 {
  if (!has(present, DEVICE_ID) || !has(present, TYPE) || !isTimely()) return ODD
  seq = seqOf()
  if (seq === BAD_SEQ) return ODD
  switch (type) {
    case DOOR:
      return landDoor()
    case TEMPERATURE:
      return landTemperature()
    case POWER:
      return landPower()
    case GPS:
      return landFix()
    case VISITOR:
      return landVisitor()
    case PLACEMENT:
      return isPlaced() &&
        isTextOrNone(ADDRESS) &&
        (!has(present, TIMEZONE) || has(nothing, TIMEZONE) || has(textual, TIMEZONE))
        ? IS_PLACEMENT
        : ODD
    default:
      return ODD
  }
}

function landDoor(): i32 {
  if (!has(present, COUNT)) {
    const isOpen = has(yes, OPEN)
    return isOpen || has(no, OPEN) ? add(KIND_DOOR_STATE, i32(isOpen), 0) : ODD
  }
  if (has(present, OPEN) || !has(numeric, COUNT)) return ODD
  const count = numberOf(COUNT)
  return isInteger(count, DOOR_COUNT_MIN, DOOR_COUNT_MAX) ? add(KIND_DOOR_COUNT, i32(count), 0) : ODD
}

function landTemperature(): i32 {
  if (!has(present, CELSIUS) && !has(present, SETPOINT)) return ODD
  const celsius = readingOf(CELSIUS)
  const setpoint = readingOf(SETPOINT)
  return celsius !== BAD_READING && setpoint !== BAD_READING ? add(KIND_TEMPERATURE, celsius, setpoint) : ODD
}

function landPower(): i32 {
  const isOn = has(yes, ON)
  return isOn || has(no, ON) ? add(KIND_POWER, i32(isOn), 0) : ODD
}

function landVisitor(): i32 {
  if (has(present, COUNT) === has(present, TOTAL)) return ODD
  if (has(numeric, COUNT)) {
    const count = numberOf(COUNT)
    return isInteger(count, VISITOR_COUNT_MIN, VISITOR_COUNT_MAX) ? add(KIND_VISITOR_COUNT, i32(count), 0) : ODD
  }
  if (!has(numeric, TOTAL)) return ODD
  const total = numberOf(TOTAL)
  if (!isInteger(total, VISITOR_TOTAL_MIN, VISITOR_TOTAL_MAX)) return ODD
  return add(KIND_VISITOR_TOTAL, i32(i64(total)), i32(i64(total) >> 32))
}

function landFix(): i32 {
  if (!isPlaced() || !isAccurate() || !isTextOrNone(ADDRESS)) return ODD
  const lat = numberOf(LAT)
  const lon = numberOf(LON)
  if (lat === 0 && lon === 0) return ODD
  if (has(textual, ADDRESS) && bytesOf(ADDRESS) > 0) addAddress()
  return add(KIND_FIX, fixedPoint(lat, POSITION_SCALE), fixedPoint(lon, POSITION_SCALE))
}

/** Stores the address of the row that is added next. */
function addAddress(): void {
  const address = ADDRESSES + usize(addresses * 12)
  store<i32>(address, rows)
  store<u32>(address, load<u32>(TEXT_STARTS + (ADDRESS << 2)), 4)
  store<u32>(address, load<u32>(TEXT_ENDS + (ADDRESS << 2)), 8)
  addresses++
}

export function clearAddresses(): void {
  addresses = 0
}

function add(kind: u8, a: i32, b: i32): i32 {
  addRow(device, numberOf(AT), kind, a, b, seq)
  return LANDED
}

/** Tells whether a field is in a set of fields. */
function has(fields: i32, field: i32): bool {
  return (fields & (1 << field)) !== 0
}

function numberOf(field: i32): f64 {
  return load<f64>(NUMBERS + (field << 3))
}

function isTimely(): bool {
  if (!has(numeric, AT)) return false
  const at = numberOf(AT)
  if (floor(at) !== at || at < EARLIEST_AT || at > latest) return false
  return !(at < purgedBefore) || type === PLACEMENT
}

function seqOf(): f64 {
  if (!has(present, SEQ)) return NO_SEQ
  return has(numeric, SEQ) && isInteger(numberOf(SEQ), 0, SAFE_INTEGER) ? numberOf(SEQ) : BAD_SEQ
}

/** Returns a reading in thousandths, ABSENT if the event lacks it, or BAD_READING. */
function readingOf(field: i32): i32 {
  if (!has(present, field)) return ABSENT
  const celsius = numberOf(field)
  return has(numeric, field) && isWithin(celsius, CELSIUS_MIN, CELSIUS_MAX)
    ? fixedPoint(celsius, READING_SCALE)
    : BAD_READING
}

function isPlaced(): bool {
  return (
    has(numeric, LAT) &&
    has(numeric, LON) &&
    isWithin(numberOf(LAT), LATITUDE_MIN, LATITUDE_MAX) &&
    isWithin(numberOf(LON), LONGITUDE_MIN, LONGITUDE_MAX)
  )
}

function isAccurate(): bool {
  return !has(present, ACCURACY) || (has(numeric, ACCURACY) && isWithin(numberOf(ACCURACY), 0, WORST_ACCURACY))
}

/** Tells whether a field is missing, null, or a text that is certainly not too long. */
function isTextOrNone(field: i32): bool {
  if (!has(present, field) || has(nothing, field)) return true
  if (!has(textual, field)) return false
  return bytesOf(field) <= ADDRESS_BYTES_MAX
}

/** Returns the length of a field's text in bytes. */
function bytesOf(field: i32): i32 {
  return load<i32>(TEXT_ENDS + (field << 2)) - load<i32>(TEXT_STARTS + (field << 2))
}

/** Does the same as fixedPoint of event/kept-values.ts. */
function fixedPoint(value: f64, scale: f64): i32 {
  return i32(value < 0 ? -floor(-value * scale + 0.5) : floor(value * scale + 0.5))
}

function isWithin(value: f64, min: f64, max: f64): bool {
  return value >= min && value <= max
}

function isInteger(value: f64, min: f64, max: f64): bool {
  return floor(value) === value && isWithin(value, min, max)
}
