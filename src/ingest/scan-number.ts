/** Where a scan has come to. */
export interface Cursor {
  position: number
}

const MINUS = 0x2d
const PLUS = 0x2b
const ZERO = 0x30
/** A digit is 0 to 9 once ZERO is taken from its byte by exclusive or; these bytes become what they are here. */
const POINT = 0x2e ^ ZERO
const SMALL_E = 0x65 ^ ZERO
const CAPITAL_E = 0x45 ^ ZERO

/** Any so many digits are an integer below 2^31. */
const INT32_DIGITS = 9
/** The powers of ten that are doubles without error. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * The value of the JSON number that begins at `from`, to the bit as JSON.parse has it; the cursor is put behind its
 * last byte. NaN where none begins there. What follows it is for the caller to judge; some byte that is in no number
 * must.
 *
 * An integer below 2^53 and a power of ten up to 10^22 are doubles without error, so that their quotient is rounded
 * once, which is correctly. What has more digits, or an exponent, is left to the runtime.
 */
export function scanNumber(bytes: Buffer, from: number, cursor: Cursor): number {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  let position = first
  let digit = bytes[position] ^ ZERO
  if (digit > 9) return Number.NaN
  let head = 0
  do {
    head = (Math.imul(head, 10) + digit) | 0
    digit = bytes[++position] ^ ZERO
  } while (digit <= 9 && position < first + INT32_DIGITS)
  if (bytes[first] === ZERO && position > first + 1) return Number.NaN
  let value = head
  while (digit <= 9) {
    value = value * 10 + digit
    digit = bytes[++position] ^ ZERO
  }
  let decimals = 0
  if (digit === POINT) {
    const point = position
    digit = bytes[++position] ^ ZERO
    if (digit > 9) return Number.NaN
    do {
      value = value * 10 + digit
      digit = bytes[++position] ^ ZERO
    } while (digit <= 9)
    decimals = position - point - 1
  }
  if (digit === SMALL_E || digit === CAPITAL_E) return scanExponent(bytes, from, position, cursor)
  cursor.position = position
  // A sum that has gone beyond 2^53 stays beyond it, however it was rounded.
  if (value > Number.MAX_SAFE_INTEGER || decimals >= POWERS_OF_TEN.length) return runtimeValue(bytes, from, position)
  if (decimals > 0) value /= POWERS_OF_TEN[decimals]
  return negative ? -value : value
}

/** The number whose digits end where an `e` stands. */
function scanExponent(bytes: Buffer, from: number, exponent: number, cursor: Cursor): number {
  let position = exponent + 1
  if (bytes[position] === PLUS || bytes[position] === MINUS) position++
  while ((bytes[position] ^ ZERO) <= 9) position++
  cursor.position = position
  return runtimeValue(bytes, from, position)
}

/** Of a text that is a JSON number, Number makes what JSON.parse makes; NaN where an exponent has no digits. */
const runtimeValue = (bytes: Buffer, from: number, end: number): number => Number(bytes.toString('latin1', from, end))
