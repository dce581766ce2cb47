/**
 * A column of 32-bit integers in the fewest bytes that hold each of them, little-endian; it starts at a multiple of 4
 * bytes and is filled up to one:
 *
 *     int32 base    uint32 unit    uint32 width w (0 to 4)    for each value the integer (value - base) / unit:
 *     w = 0: nothing    1: uint8    2: uint16    3: the low uint16 of all, then the high uint8 of all    4: uint32
 *
 * The unit is above 1 only where that makes the column narrower: whole seconds, or the numbers of one shard's devices.
 */
const HEADER_BYTES = 12
const WIDEST = 4

/** Returns the least multiple of 4 that is not below a number of bytes. */
export const roundUp4 = (bytes: number): number => (bytes + 3) & ~3

/** Returns the most bytes that a column of so many values takes. */
export const maxBytesOf = (values: number): number => HEADER_BYTES + values * WIDEST

/**
 * Writes the values at `start`, where the memory of `target` is aligned to 4 bytes, and returns where the column ends.
 * `scratch` has room for as many values.
 */
export function writeColumn(target: Uint8Array, start: number, values: Int32Array, scratch: Int32Array): number {
  const count = values.length
  const { base, spread } = rangeOf(values)
  const offsets = scratch.subarray(0, count)
  for (let index = 0; index < count; index++) offsets[index] = values[index] - base
  const unit = spread < 2 ** 31 ? unitOf(offsets, spread) : 1
  if (unit > 1) for (let index = 0; index < count; index++) offsets[index] /= unit
  const width = widthOf(spread / unit)
  const { buffer, byteOffset } = target
  new Int32Array(buffer, byteOffset + start, 1)[0] = base
  new Uint32Array(buffer, byteOffset + start + 4, 2).set([unit, width])
  const first = start + HEADER_BYTES
  const place = byteOffset + first
  if (width === 1) new Uint8Array(buffer, place, count).set(offsets)
  if (width === 2 || width === 3) new Uint16Array(buffer, place, count).set(offsets)
  if (width === 3) {
    const high = new Uint8Array(buffer, place + 2 * count, count)
    for (let index = 0; index < count; index++) high[index] = offsets[index] >>> 16
  }
  if (width === WIDEST) new Int32Array(buffer, place, count).set(offsets)
  const end = first + width * count
  const filled = roundUp4(end)
  target.fill(0, end, filled)
  return filled
}

function rangeOf(values: Int32Array): { base: number; spread: number } {
  if (values.length === 0) return { base: 0, spread: 0 }
  let [least, greatest] = [values[0], values[0]]
  for (let index = 1; index < values.length; index++) {
    const value = values[index]
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  return { base: least, spread: greatest - least }
}

const widthOf = (greatest: number): number => Math.ceil((32 - Math.clz32(greatest)) / 8)

/** Returns the greatest common divisor of the offsets if it makes the column narrower; else 1. */
function unitOf(offsets: Int32Array, spread: number): number {
  const width = widthOf(spread)
  if (width === 0) return 1
  const least = Math.floor(spread / 2 ** (8 * (width - 1))) + 1
  let unit = spread
  for (let index = 0; index < offsets.length && unit >= least; index++) {
    for (let rest = offsets[index] % unit; rest > 0; ) [unit, rest] = [rest, unit % rest]
  }
  return unit >= least ? unit : 1
}

/**
 * Reads a column from `start`, an offset into the bytes of `from` that is aligned to 4 bytes in its memory, into all of
 * `values`. Returns where the column ends.
 *
 * @throws Error if the bytes are not such a column
 */
export function readColumn(from: Uint8Array, start: number, values: Int32Array): number {
  const count = values.length
  const first = start + HEADER_BYTES
  if (first > from.length) throw cutShort(from)
  const { buffer, byteOffset } = from
  const [base] = new Int32Array(buffer, byteOffset + start, 1)
  const [unit, width] = new Uint32Array(buffer, byteOffset + start + 4, 2)
  const end = first + roundUp4(width * count)
  if (width > WIDEST) throw new Error(`a column of ${width} bytes a value`)
  if (end > from.length) throw cutShort(from)
  const place = byteOffset + first
  if (width === 0) values.fill(base)
  else if (width === 1) addOffsets(values, new Uint8Array(buffer, place, count), base, unit)
  else if (width === WIDEST) addOffsets(values, new Uint32Array(buffer, place, count), base, unit)
  else addOffsets(values, new Uint16Array(buffer, place, count), base, unit)
  if (width === 3) {
    const high = new Uint8Array(buffer, place + 2 * count, count)
    const highUnit = unit * 2 ** 16
    for (let index = 0; index < count; index++) values[index] += high[index] * highUnit
  }
  return end
}

function addOffsets(
  values: Int32Array,
  offsets: Uint8Array | Uint16Array | Uint32Array,
  base: number,
  unit: number,
): void {
  for (let index = 0; index < values.length; index++) values[index] = base + unit * offsets[index]
}

const cutShort = ({ length }: Uint8Array): Error => new Error(`a column is cut short at ${length} bytes`)
