// Rendered from event/fields.ts by scan/render-scanner.ts: not to be edited.

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
  OTHER,
  SEQ,
  SETPOINT,
  TIMEZONE,
  TOTAL,
  TYPE,
} from './fields'

/** Bytes of the names of the fields, by number. */
export const FIELD_LENGTHS: usize = memory.data<u8>([0, 8, 2, 4, 3, 4, 5, 7, 8, 2, 3, 3, 8, 7, 5, 8])

/** The types of events, numbered; NO_TYPE is any that is rejected. */
export const NO_TYPE = 0
export const DOOR = 1
export const TEMPERATURE = 2
export const POWER = 3
export const GPS = 4
export const VISITOR = 5
export const PLACEMENT = 6

/** Bytes of the names of the types, by number. */
export const TYPE_LENGTHS: usize = memory.data<u8>([0, 4, 11, 5, 3, 7, 9])

// The kinds of columns.
export const KIND_DOOR_STATE: u8 = 0
export const KIND_DOOR_COUNT: u8 = 1
export const KIND_TEMPERATURE: u8 = 2
export const KIND_POWER: u8 = 3
export const KIND_FIX: u8 = 4
export const KIND_VISITOR_COUNT: u8 = 5
export const KIND_VISITOR_TOTAL: u8 = 6

// Bounds, in the units of the fields; of texts in bytes, since those with more are left to the host.
export const CELSIUS_MIN: f64 = -60
export const CELSIUS_MAX: f64 = 80
export const LATITUDE_MIN: f64 = -90
export const LATITUDE_MAX: f64 = 90
export const LONGITUDE_MIN: f64 = -180
export const LONGITUDE_MAX: f64 = 180
export const DOOR_COUNT_MIN: f64 = 1
export const DOOR_COUNT_MAX: f64 = 100000
export const VISITOR_COUNT_MIN: f64 = 0
export const VISITOR_COUNT_MAX: f64 = 1000000
export const VISITOR_TOTAL_MIN: f64 = 0
export const VISITOR_TOTAL_MAX: f64 = 9007199254740991
export const READING_SCALE: f64 = 1000
export const POSITION_SCALE: f64 = 10000000
export const WORST_ACCURACY: f64 = 500
export const SAFE_INTEGER: f64 = 9007199254740991
export const EARLIEST_AT: f64 = 946684800000
export const ID_BYTES_MAX: i32 = 256
export const ADDRESS_BYTES_MAX: i32 = 512

// Names are compared up to eight bytes at a time, as little-endian integers, together with the quote that ends them: in
// such a number the first byte stands last.

/** Returns the field whose name begins at `from`, behind the quote. */
export function fieldAt(from: usize): i32 {
  const head = load<u32>(from)
  if ((head & 0xffffff) === 0x227461) return AT
  if ((head & 0xffffff) === 0x226e6f) return ON
  switch (head) {
    case 0x22716573: // seq
      return SEQ
    case 0x2274616c: // lat
      return LAT
    case 0x226e6f6c: // lon
      return LON
    case 0x69766564: // deviceId
      return load<u32>(from, 4) === 0x64496563 && load<u8>(from, 8) === 0x22 ? DEVICE_ID : OTHER
    case 0x65707974: // type
      return load<u8>(from, 4) === 0x22 ? TYPE : OTHER
    case 0x6e65706f: // open
      return load<u8>(from, 4) === 0x22 ? OPEN : OTHER
    case 0x6e756f63: // count
      return load<u16>(from, 4) === 0x2274 ? COUNT : OTHER
    case 0x736c6563: // celsius
      return load<u32>(from, 4) === 0x22737569 ? CELSIUS : OTHER
    case 0x70746573: // setpoint
      return load<u32>(from, 4) === 0x746e696f && load<u8>(from, 8) === 0x22 ? SETPOINT : OTHER
    case 0x75636361: // accuracy
      return load<u32>(from, 4) === 0x79636172 && load<u8>(from, 8) === 0x22 ? ACCURACY : OTHER
    case 0x72646461: // address
      return load<u32>(from, 4) === 0x22737365 ? ADDRESS : OTHER
    case 0x61746f74: // total
      return load<u16>(from, 4) === 0x226c ? TOTAL : OTHER
    case 0x656d6974: // timezone
      return load<u32>(from, 4) === 0x656e6f7a && load<u8>(from, 8) === 0x22 ? TIMEZONE : OTHER
    default:
      return OTHER
  }
}

/** Returns the type whose name begins at `from`, behind the quote. */
export function typeAt(from: usize): i32 {
  const head = load<u32>(from)
  switch (head) {
    case 0x22737067: // gps
      return GPS
    case 0x726f6f64: // door
      return load<u8>(from, 4) === 0x22 ? DOOR : NO_TYPE
    case 0x706d6574: // temperature
      return load<u64>(from, 4) === 0x2265727574617265 ? TEMPERATURE : NO_TYPE
    case 0x65776f70: // power
      return load<u16>(from, 4) === 0x2272 ? POWER : NO_TYPE
    case 0x69736976: // visitor
      return load<u32>(from, 4) === 0x22726f74 ? VISITOR : NO_TYPE
    case 0x63616c70: // placement
      return load<u32>(from, 4) === 0x6e656d65 && load<u16>(from, 8) === 0x2274 ? PLACEMENT : NO_TYPE
    default:
      return NO_TYPE
  }
}
