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

// What the fields of the event that was scanned last hold, each by its number, and sets of fields as a bit for each.

/** Number of the device's id. */
export let device: i32 = NO_ID
export let type: i32 = NO_TYPE
/** Fields that the event has, OTHER among them. */
export let present: i32 = 0
/** Fields by what they hold; `at` is among the numbers though it was text. A field with an array is in none. */
export let numeric: i32 = 0
export let textual: i32 = 0
export let yes: i32 = 0
export let no: i32 = 0
export let nothing: i32 = 0
/** Numbers, float64. */
export const NUMBERS: usize = memory.data(FIELDS * 8, 16)
/** Texts of ADDRESS and TIMEZONE without their quotes, int32; there are no escapes in them. */
export const TEXT_STARTS: usize = memory.data(FIELDS * 4, 16)
export const TEXT_ENDS: usize = memory.data(FIELDS * 4, 16)

/**
 * Reads the line that begins at `from` and ends with a line feed, and gives the place behind it; 0 where it is for
 * JSON.parse to say what it holds: it is no JSON object, or is written in an uncommon way (a field of ours twice,
 * escapes in the id, a key or a text).
 *
 * One long function, since its sets of fields stay in registers then.
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
      // With escapes it may be the name of a field of ours.
      position = skipPlainString(position + 1)
      if (position === 0) return 0
    } else {
      // Of a field that comes twice JSON.parse takes the last.
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
