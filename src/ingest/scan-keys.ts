const QUOTE = 0x22

const OTHER = 0
const DEVICE_ID = 1
const TYPE = 2
const AT = 3
const SEQ = 4
const OPEN = 5
const COUNT = 6
const CELSIUS = 7
const SETPOINT = 8
const ON = 9
const LAT = 10
const LON = 11
const ACCURACY = 12
const ADDRESS = 13
const TOTAL = 14
const TIMEZONE = 15

/** The fields that an event may have, numbered; `other` is any that is ignored. */
export const Field = {
  other: OTHER,
  deviceId: DEVICE_ID,
  type: TYPE,
  at: AT,
  seq: SEQ,
  open: OPEN,
  count: COUNT,
  celsius: CELSIUS,
  setpoint: SETPOINT,
  on: ON,
  lat: LAT,
  lon: LON,
  accuracy: ACCURACY,
  address: ADDRESS,
  total: TOTAL,
  timezone: TIMEZONE,
} as const

export const FIELD_COUNT = Object.keys(Field).length
/** Bytes of the names of the fields, by number. */
export const FIELD_LENGTHS = Uint8Array.from(Object.keys(Field), (name) => name.length)

const NO_TYPE = 0
const DOOR = 1
const TEMPERATURE = 2
const POWER = 3
const GPS = 4
const VISITOR = 5
const PLACEMENT = 6

/** The types of events, numbered; `none` is any that is rejected. */
export const Type = {
  none: NO_TYPE,
  door: DOOR,
  temperature: TEMPERATURE,
  power: POWER,
  gps: GPS,
  visitor: VISITOR,
  placement: PLACEMENT,
} as const

/** Bytes of the names of the types, by number. */
export const TYPE_LENGTHS = Uint8Array.from(Object.keys(Type), (name) => name.length)

// Names are compared four bytes at a time, as little-endian integers, together with the quote that ends them: in such
// a number the first byte stands last. The bytes must go on for 12 more behind any place that is asked for.

/** The field whose name begins at `from`, behind the quote. */
export function fieldAt(view: DataView, from: number): number {
  const head = view.getInt32(from, true)
  if ((head & 0xffffff) === 0x22_74_61) return AT
  switch (head) {
    case 0x69_76_65_64: // devi ceId
      return view.getInt32(from + 4, true) === 0x64_49_65_63 && endsAt(view, from + 8) ? DEVICE_ID : OTHER
    case 0x65_70_79_74: // type
      return endsAt(view, from + 4) ? TYPE : OTHER
    case 0x6e_65_70_6f: // open
      return endsAt(view, from + 4) ? OPEN : OTHER
    case 0x73_6c_65_63: // cels ius"
      return view.getInt32(from + 4, true) === 0x22_73_75_69 ? CELSIUS : OTHER
    case 0x70_74_65_73: // setp oint
      return view.getInt32(from + 4, true) === 0x74_6e_69_6f && endsAt(view, from + 8) ? SETPOINT : OTHER
    case 0x22_74_61_6c: // lat"
      return LAT
    case 0x22_6e_6f_6c: // lon"
      return LON
    case 0x6e_75_6f_63: // coun t"
      return view.getInt16(from + 4, true) === 0x22_74 ? COUNT : OTHER
    case 0x22_71_65_73: // seq"
      return SEQ
    default:
      return (head & 0xffffff) === 0x22_6e_6f ? ON : rareFieldAt(view, from, head)
  }
}

function rareFieldAt(view: DataView, from: number, head: number): number {
  switch (head) {
    case 0x61_74_6f_74: // tota l"
      return view.getInt16(from + 4, true) === 0x22_6c ? TOTAL : OTHER
    case 0x75_63_63_61: // accu racy
      return view.getInt32(from + 4, true) === 0x79_63_61_72 && endsAt(view, from + 8) ? ACCURACY : OTHER
    case 0x72_64_64_61: // addr ess"
      return view.getInt32(from + 4, true) === 0x22_73_73_65 ? ADDRESS : OTHER
    case 0x65_6d_69_74: // time zone
      return view.getInt32(from + 4, true) === 0x65_6e_6f_7a && endsAt(view, from + 8) ? TIMEZONE : OTHER
    default:
      return OTHER
  }
}

/** The type whose name begins at `from`, behind the quote. */
export function typeAt(view: DataView, from: number): number {
  switch (view.getInt32(from, true)) {
    case 0x72_6f_6f_64: // door
      return endsAt(view, from + 4) ? DOOR : NO_TYPE
    case 0x70_6d_65_74: // temp erat ure"
      return view.getInt32(from + 4, true) === 0x74_61_72_65 && view.getInt32(from + 8, true) === 0x22_65_72_75
        ? TEMPERATURE
        : NO_TYPE
    case 0x69_73_69_76: // visi tor"
      return view.getInt32(from + 4, true) === 0x22_72_6f_74 ? VISITOR : NO_TYPE
    case 0x22_73_70_67: // gps"
      return GPS
    case 0x65_77_6f_70: // powe r"
      return view.getInt16(from + 4, true) === 0x22_72 ? POWER : NO_TYPE
    case 0x63_61_6c_70: // plac emen t"
      return view.getInt32(from + 4, true) === 0x6e_65_6d_65 && view.getInt16(from + 8, true) === 0x22_74
        ? PLACEMENT
        : NO_TYPE
    default:
      return NO_TYPE
  }
}

const endsAt = (view: DataView, position: number): boolean => view.getUint8(position) === QUOTE
