import { runtimeNumber } from './runtime'

const MINUS: u8 = 0x2d
const PLUS: u8 = 0x2b
const ZERO: u8 = 0x30
/** Bytes are compared after an exclusive or with ZERO, which makes digits 0 to 9 and these bytes the values below. */
const POINT: u8 = 0x2e ^ 0x30
const SMALL_E: u8 = 0x65 ^ 0x30
const CAPITAL_E: u8 = 0x45 ^ 0x30

/** Any integer of up to this many digits is below 2^64. */
const MOST_DIGITS: usize = 19
const MOST_EXACT: u64 = 2 ** 53
const MOST_DECIMALS: usize = 22
/** The powers of ten that a double represents exactly. */
const POWERS_OF_TEN: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
])

/** The place after the number that was scanned last. */
export let numberEnd: usize = 0

/**
 * Returns the JSON number that begins at `from`, bit for bit as JSON.parse does; NaN if no number begins there. A byte
 * that cannot be part of a number must follow; the caller checks whether it may stand there.
 *
 * Integers up to 2^53 and powers of ten up to 10^22 are exact doubles, so their quotient is rounded once and therefore
 * correctly. Numbers with more digits or with an exponent are left to the runtime.
 */
export function scanNumber(from: usize): f64 {
  const isNegative = load<u8>(from) === MINUS
  const first = isNegative ? from + 1 : from
  let position = first
  let digit = load<u8>(position) ^ ZERO
  if (digit > 9) return NaN
  let value: u64 = 0
  do {
    value = value * 10 + digit
    digit = load<u8>(++position) ^ ZERO
  } while (digit <= 9)
  let digits = position - first
  if (load<u8>(first) === ZERO && digits > 1) return NaN
  let decimals: usize = 0
  if (digit === POINT) {
    const point = position
    digit = load<u8>(++position) ^ ZERO
    if (digit > 9) return NaN
    do {
      value = value * 10 + digit
      digit = load<u8>(++position) ^ ZERO
    } while (digit <= 9)
    decimals = position - point - 1
    digits += decimals
  }
  if (digit === SMALL_E || digit === CAPITAL_E) position = exponentEnd(position)
  numberEnd = position
  if (digit === SMALL_E || digit === CAPITAL_E || digits > MOST_DIGITS) return runtimeNumber(from, position)
  if (value > MOST_EXACT || decimals > MOST_DECIMALS) return runtimeNumber(from, position)
  let exact = f64(value)
  if (decimals > 0) exact /= load<f64>(POWERS_OF_TEN + (decimals << 3))
  return isNegative ? -exact : exact
}

/** Returns the place after the exponent whose letter is at `e`. */
function exponentEnd(e: usize): usize {
  let position = e + 1
  const sign = load<u8>(position)
  if (sign === PLUS || sign === MINUS) position++
  while ((load<u8>(position) ^ ZERO) <= 9) position++
  return position
}

/** Returns the value of eight digits that were read as one little-endian integer; -1 if a byte is not a digit. */
export function eightDigits(word: u64): i64 {
  const digits = word ^ 0x30_30_30_30_30_30_30_30
  // A byte of 10 or more has its highest bit set after adding 0x76.
  if (((digits | (digits + 0x76_76_76_76_76_76_76_76)) & 0x80_80_80_80_80_80_80_80) !== 0) return -1
  const pairs = digits * 10 + (digits >> 8)
  const high = (pairs & 0x00_00_00_ff_00_00_00_ff) * 0x000f4240_00000064 // 1 000 000 and 100
  const low = ((pairs >> 16) & 0x00_00_00_ff_00_00_00_ff) * 0x00002710_00000001 // 10 000 and 1
  return (high + low) >> 32
}
