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

const QUOTE: u8 = 0x22

/** Bytes of the names of the fields, by number. */
export const FIELD_LENGTHS: usize = memory.data<u8>([0, 8, 4, 2, 3, 4, 5, 7, 8, 2, 3, 3, 8, 7, 5, 8])

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

// Names are compared four bytes at a time, as little-endian integers, together with the quote that ends them: in such
// a number the first byte stands last.

/** The field whose name begins at `from`, behind the quote. */
export function fieldAt(from: usize): i32 {
  const head = load<u32>(from)
  if ((head & 0xffffff) === 0x22_74_61) return AT
  switch (head) {
    case 0x69_76_65_64: // devi ceId
      return load<u32>(from, 4) === 0x64_49_65_63 && endsAt(from + 8) ? DEVICE_ID : OTHER
    case 0x65_70_79_74: // type
      return endsAt(from + 4) ? TYPE : OTHER
    case 0x6e_65_70_6f: // open
      return endsAt(from + 4) ? OPEN : OTHER
    case 0x73_6c_65_63: // cels ius"
      return load<u32>(from, 4) === 0x22_73_75_69 ? CELSIUS : OTHER
    case 0x70_74_65_73: // setp oint
      return load<u32>(from, 4) === 0x74_6e_69_6f && endsAt(from + 8) ? SETPOINT : OTHER
    case 0x22_74_61_6c: // lat"
      return LAT
    case 0x22_6e_6f_6c: // lon"
      return LON
    case 0x6e_75_6f_63: // coun t"
      return load<u16>(from, 4) === 0x22_74 ? COUNT : OTHER
    case 0x22_71_65_73: // seq"
      return SEQ
    case 0x61_74_6f_74: // tota l"
      return load<u16>(from, 4) === 0x22_6c ? TOTAL : OTHER
    case 0x75_63_63_61: // accu racy
      return load<u32>(from, 4) === 0x79_63_61_72 && endsAt(from + 8) ? ACCURACY : OTHER
    case 0x72_64_64_61: // addr ess"
      return load<u32>(from, 4) === 0x22_73_73_65 ? ADDRESS : OTHER
    case 0x65_6d_69_74: // time zone
      return load<u32>(from, 4) === 0x65_6e_6f_7a && endsAt(from + 8) ? TIMEZONE : OTHER
    default:
      return (head & 0xffffff) === 0x22_6e_6f ? ON : OTHER
  }
}

/** The type whose name begins at `from`, behind the quote. */
export function typeAt(from: usize): i32 {
  switch (load<u32>(from)) {
    case 0x72_6f_6f_64: // door
      return endsAt(from + 4) ? DOOR : NO_TYPE
    case 0x70_6d_65_74: // temp erature"
      return load<u64>(from, 4) === 0x22_65_72_75_74_61_72_65 ? TEMPERATURE : NO_TYPE
    case 0x69_73_69_76: // visi tor"
      return load<u32>(from, 4) === 0x22_72_6f_74 ? VISITOR : NO_TYPE
    case 0x22_73_70_67: // gps"
      return GPS
    case 0x65_77_6f_70: // powe r"
      return load<u16>(from, 4) === 0x22_72 ? POWER : NO_TYPE
    case 0x63_61_6c_70: // plac emen t"
      return load<u32>(from, 4) === 0x6e_65_6d_65 && load<u16>(from, 8) === 0x22_74 ? PLACEMENT : NO_TYPE
    default:
      return NO_TYPE
  }
}

function endsAt(position: usize): bool {
  return load<u8>(position) === QUOTE
}
