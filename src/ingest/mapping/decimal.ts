/** An exact decimal: digits * 10^exponent. */
export interface Decimal {
  digits: bigint
  exponent: number
}

/** Each text matches in one way only, so that matching takes linear time even for a million digits. */
const WITH_POINT = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i
const WITH_THOUSANDS = /^([-+]?[1-9]\d{0,2})((?:\.\d{3})+)(,\d*)?$/
/** Limits of the numbers that are read: they bound the cost of `1e999999999` and of a million digits. */
const MAX_DIGITS = 400
const MAX_EXPONENT = 400

/**
 * Returns the number in a cell as text with a decimal point, or null if the cell is no number. With `decimalComma` the
 * comma is the decimal sign, and points may only separate thousands: `1.234,5` is 1234.5, and `1.01` is no number.
 */
export function numberText(cell: string, decimalComma: boolean): string | null {
  const text = cell.trim()
  if (!decimalComma) return WITH_POINT.test(text) ? text : null
  const thousands = WITH_THOUSANDS.exec(text)
  if (thousands !== null)
    return `${thousands[1]}${thousands[2].replaceAll('.', '')}${thousands[3] ?? ''}`.replace(',', '.')
  return text.includes('.') ? null : numberText(text.replace(',', '.'), false)
}

/** Returns the exact value of a number that numberText or JavaScript wrote; null if it is no number or too long. */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_DIGITS || !WITH_POINT.test(text)) return null
  const [mantissa, power = '0'] = text.toLowerCase().split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  if (Math.abs(Number(power)) > MAX_EXPONENT) return null
  const sign = whole.startsWith('-') ? -1n : 1n
  return { digits: sign * BigInt(whole.replace(/^[-+]/, '') + fraction), exponent: Number(power) - fraction.length }
}

/** Returns the exact product. */
export const multiply = (one: Decimal, other: Decimal): Decimal => ({
  digits: one.digits * other.digits,
  exponent: one.exponent + other.exponent,
})

/** Returns the exact sum. */
export function add(one: Decimal, other: Decimal): Decimal {
  const exponent = Math.min(one.exponent, other.exponent)
  return { digits: digitsAt(one, exponent) + digitsAt(other, exponent), exponent }
}

const digitsAt = ({ digits, exponent }: Decimal, lower: number): bigint => digits * 10n ** BigInt(exponent - lower)

/** Digits of a quotient beyond those that the dividend has: far more than a double can tell apart. */
const QUOTIENT_DIGITS = 40

/** Returns the double nearest to value / divisor. */
export function toNumber({ digits, exponent }: Decimal, divisor = 1n): number {
  const dividend = digits * 10n ** BigInt(QUOTIENT_DIGITS)
  // The last digit stands for the remainder, so that an inexact quotient never looks like the middle of two doubles.
  const remainder = dividend % divisor === 0n ? '0' : '1'
  return Number(`${dividend / divisor}${remainder}e${exponent - QUOTIENT_DIGITS - 1}`)
}

/** Returns the whole part: further digits are cut, not rounded. */
export const truncate = ({ digits, exponent }: Decimal): number =>
  Number(exponent >= 0 ? digits * 10n ** BigInt(exponent) : digits / 10n ** BigInt(-exponent))

/** Returns the nearest whole number, halves rounded up. */
export function round(value: Decimal): number {
  const { digits, exponent } = add(value, { digits: 5n, exponent: -1 })
  const unit = 10n ** BigInt(-exponent)
  const down = digits / unit
  return Number(digits % unit < 0n ? down - 1n : down)
}
