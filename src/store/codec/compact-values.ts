/**
 * The values of one column of a compacted payload. Each is stored as its difference from the previous value of the same
 * device (from 0 for the first), modulo 2^32, in units of the largest power of ten that divides all differences:
 *
 *     1 byte: width w (0 to 4) + 8 * signed s + 16 * exponent e (0 to 9)
 *     w planes of one byte a value: the lowest bytes of all numbers, then the next, and so on
 *
 * The number of d = difference / 10^e is d itself if no d of the column is negative (s = 0), else 2d for d >= 0 and
 * -2d - 1 for d < 0. Low bytes are noise and high bytes nearly all alike, so separate planes compress better.
 */
const WIDTH = 7
const SIGNED = 8
const MAX_WIDTH = 4
const POWERS_OF_TEN = Int32Array.from({ length: 10 }, (_, exponent) => 10 ** exponent)

/** Returns the most bytes that this many values can take. */
export const maxBytesOf = (values: number): number => (values === 0 ? 0 : 1 + values * MAX_WIDTH)

/**
 * Writes the values of `from` in these rows and returns the offset after them. Rows of one device have the same
 * `owner`, which differs from that of the previous device.
 */
export function writeValues(
  bytes: Uint8Array,
  offset: number,
  from: Int32Array,
  owner: Int32Array,
  rows: Int32Array,
): number {
  const { differences, exponent, signed, width } = subtract(from, owner, rows)
  bytes[offset] = width | (signed ? SIGNED : 0) | (exponent << 4)
  const power = POWERS_OF_TEN[exponent]
  const values = rows.length
  const first = offset + 1
  for (let index = 0; index < values; index++) {
    const units = (differences[index] / power) | 0
    const number = signed ? (units << 1) ^ (units >> 31) : units
    const place = first + index
    if (width > 0) bytes[place] = number
    if (width > 1) bytes[place + values] = number >>> 8
    if (width > 2) bytes[place + 2 * values] = number >>> 16
    if (width > 3) bytes[place + 3 * values] = number >>> 24
  }
  return first + width * values
}

interface Differences {
  differences: Int32Array
  exponent: number
  signed: boolean
  width: number
}

function subtract(from: Int32Array, owner: Int32Array, rows: Int32Array): Differences {
  const differences = new Int32Array(rows.length)
  let exponent = POWERS_OF_TEN.length - 1
  let power = POWERS_OF_TEN[exponent]
  let signs = 0
  let largest = 0
  let value = 0
  let device = owner[rows[0]]
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]
    const before = owner[row] === device ? value : 0
    device = owner[row]
    value = from[row]
    const difference = (value - before) | 0
    differences[index] = difference
    signs |= difference
    const size = difference ^ (difference >> 31)
    if (size > largest) largest = size
    while (power > 1 && difference % power !== 0) power = POWERS_OF_TEN[--exponent]
  }
  const bits = 32 - Math.clz32(largest / power) + (signs < 0 ? 1 : 0)
  return { differences, exponent, signed: signs < 0, width: Math.ceil(bits / 8) }
}

/** Returns the offset after a column of this many values. Throws if the bytes hold no such column. */
export function endOfValues(bytes: Uint8Array, offset: number, values: number): number {
  const head = bytes[offset]
  const end = offset + 1 + (head & WIDTH) * values
  if (end <= bytes.length && (head & WIDTH) <= MAX_WIDTH && head >> 4 < POWERS_OF_TEN.length) return end
  throw new Error(`compacted events are damaged: no column of ${values} values at byte ${offset} of ${bytes.length}`)
}

/** Selects, of the `values` of a column, those from number `first` on, which is the first of its device. */
export interface Wanted {
  values: number
  first: number
  /** The row of each selected value. */
  rows: Int32Array
}

/** Reads the wanted values of the column at `offset` into these rows of `into`; `owner` as in writeValues. */
export function readValues(
  bytes: Uint8Array,
  offset: number,
  { values, first, rows }: Wanted,
  into: Int32Array,
  owner: Int32Array,
): void {
  const head = bytes[offset]
  const width = head & WIDTH
  const signed = (head & SIGNED) !== 0
  const power = POWERS_OF_TEN[head >> 4]
  let value = 0
  let device = owner[rows[0]]
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]
    const place = offset + 1 + first + index
    let number = width > 0 ? bytes[place] : 0
    if (width > 1) number |= bytes[place + values] << 8
    if (width > 2) number |= bytes[place + 2 * values] << 16
    if (width > 3) number |= bytes[place + 3 * values] << 24
    const units = signed ? (number >>> 1) ^ -(number & 1) : number
    const before = owner[row] === device ? value : 0
    device = owner[row]
    value = (before + Math.imul(units, power)) | 0
    into[row] = value
  }
}
