import { FIELD_LENGTHS, fieldAt, NO_TYPE, TYPE_LENGTHS, typeAt } from './event-tables'
import { ADDRESS, AT, DEVICE_ID, FIELDS, OTHER, TIMEZONE, TYPE } from './fields'
import { idEnd, NO_ID, scanId } from './ids'
import { instantEnd, NO_INSTANT, scanEpochMs, scanInstant } from './instant'
import { numberEnd, scanNumber } from './number'
import { skipBlanks, skipFalse, skipNull, skipPlainString, skipString, skipTrue, skipValue } from './skip'

const LINE_FEED: u8 = 0x0a
const SPACE: u8 = 0x20
const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const MINUS: u8 = 0x2d
const ZERO: u8 = 0x30
const COLON: u8 = 0x3a
const SMALL_F: u8 = 0x66
const SMALL_N: u8 = 0x6e
const SMALL_T: u8 = 0x74
const OPEN_BRACE: u8 = 0x7b
const CLOSE_BRACE: u8 = 0x7d

// The event that was scanned last: values by field number, and sets of fields with one bit per field.

/** Number of the device's id. */
export let device: i32 = NO_ID
export let type: i32 = NO_TYPE
/** Set of the fields that the event has; OTHER stands for all unknown fields. */
export let present: i32 = 0
/** Sets of fields by kind of value. `at` counts as a number even if it was text; arrays and objects are in no set. */
export let numeric: i32 = 0
export let textual: i32 = 0
export let yes: i32 = 0
export let no: i32 = 0
export let nothing: i32 = 0
/** Numbers by field, float64. */
export const NUMBERS: usize = memory.data(FIELDS * 8, 16)
/** Where the texts of ADDRESS and TIMEZONE begin and end, without quotes, int32. The texts have no escapes. */
export const TEXT_STARTS: usize = memory.data(FIELDS * 4, 16)
export const TEXT_ENDS: usize = memory.data(FIELDS * 4, 16)

/**
 * Reads the line that begins at `from` and ends with a line feed. Returns the place after it, or 0 if the line must go
 * through JSON.parse: it is not a JSON object, or is written in an uncommon way (a known field twice, or escapes in the
 * id, a key or a text).
 *
 * It is one long function, so that its sets of fields stay in registers.
 */
export function scanLine(from: usize): usize {
  if (load<u8>(from) !== OPEN_BRACE) return 0
  let fields = 0
  let numbers = 0
  let texts = 0
  let trues = 0
  let falses = 0
  let nulls = 0
  let position = from + 1
  while (true) {
    if (load<u8>(position) <= SPACE) position = skipBlanks(position)
    if (load<u8>(position) !== QUOTE) return 0
    const field = fieldAt(position + 1)
    const bit = 1 << field
    if (field === OTHER) {
      // A name with escapes may be the name of a known field.
      position = skipPlainString(position + 1)
      if (position === 0) return 0
    } else {
      // JSON.parse takes the last value of a field that comes twice.
      if ((fields & bit) !== 0) return 0
      position += usize(load<u8>(FIELD_LENGTHS + field)) + 2
    }
    fields |= bit
    if (load<u8>(position) <= SPACE) position = skipBlanks(position)
    if (load<u8>(position) !== COLON) return 0
    let byte = load<u8>(++position)
    if (byte <= SPACE) {
      position = skipBlanks(position)
      byte = load<u8>(position)
    }
    if (field === DEVICE_ID) {
      if (byte !== QUOTE) return 0
      device = scanId(position + 1)
      position = device === NO_ID ? 0 : idEnd
    } else if (field === TYPE) {
      if (byte !== QUOTE) return 0
      type = typeAt(position + 1)
      position = type === NO_TYPE ? 0 : position + usize(load<u8>(TYPE_LENGTHS + type)) + 2
    } else if (field === AT) {
      position = scanAt(position)
      numbers |= bit
    } else if (byte === MINUS || (byte ^ ZERO) <= 9) {
      const value = scanNumber(position)
      store<f64>(NUMBERS + (field << 3), value)
      position = isNaN(value) ? 0 : numberEnd
      numbers |= bit
    } else if (byte === QUOTE) {
      position = scanText(field, position + 1)
      texts |= bit
    } else if (byte === SMALL_T) {
      position = skipTrue(position)
      trues |= bit
    } else if (byte === SMALL_F) {
      position = skipFalse(position)
      falses |= bit
    } else if (byte === SMALL_N) {
      position = skipNull(position)
      nulls |= bit
    } else {
      position = skipValue(position)
    }
    if (position === 0) return 0
    byte = load<u8>(position)
    if (byte <= SPACE) {
      position = skipBlanks(position)
      byte = load<u8>(position)
    }
    position++
    if (byte === COMMA) continue
    if (byte !== CLOSE_BRACE) return 0
    break
  }
  present = fields
  numeric = numbers
  textual = texts
  yes = trues
  no = falses
  nothing = nulls
  if (load<u8>(position) !== LINE_FEED) position = skipBlanks(position)
  return load<u8>(position) === LINE_FEED ? position + 1 : 0
}

function scanAt(from: usize): usize {
  const instant = load<u8>(from) === QUOTE ? scanInstant(from + 1) : scanEpochMs(from)
  if (instant !== NO_INSTANT) {
    store<f64>(NUMBERS + (AT << 3), f64(instant))
    return instantEnd
  }
  const value = load<u8>(from) === QUOTE ? NaN : scanNumber(from)
  store<f64>(NUMBERS + (AT << 3), value)
  return isNaN(value) ? 0 : numberEnd
}

function scanText(field: i32, from: usize): usize {
  if (field !== ADDRESS && field !== TIMEZONE) return skipString(from)
  const end = skipPlainString(from)
  store<u32>(TEXT_STARTS + (field << 2), u32(from))
  store<u32>(TEXT_ENDS + (field << 2), u32(end - 1))
  return end
}
