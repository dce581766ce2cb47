/**
 * The quotient of two integers rounded to the nearest integer, halves away from zero, never -0 (RULES.md 5). Exact
 * where twice the dividend and the divisor together are below 2^53. `divisor` is positive.
 */
export function roundedQuotient(dividend: number, divisor: number): number {
  const magnitude = Math.abs(dividend) * 2 + divisor
  const twice = divisor * 2
  // Not by the remainder, which is slow for doubles. The nearest double to a quotient may be the integer above it.
  let quotient = Math.floor(magnitude / twice)
  if (quotient * twice > magnitude) quotient--
  return dividend < 0 && quotient !== 0 ? -quotient : quotient
}

/** A position kept in 1e-7 degree as a plain decimal: no exponent, no trailing zeros. */
export function plainDegrees(e7: number): string {
  const magnitude = Math.abs(e7)
  const whole = Math.floor(magnitude / 1e7)
  const fraction = String(magnitude % 1e7)
    .padStart(7, '0')
    .replace(/0+$/, '')
  return `${e7 < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
