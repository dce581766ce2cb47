/**
 * Returns the quotient of two integers rounded to the nearest integer, halves away from zero, never -0 (RULES.md 5).
 * Exact if twice the dividend plus the divisor is below 2^53. `divisor` must be positive.
 */
export function roundedQuotient(dividend: number, divisor: number): number {
  const magnitude = Math.abs(dividend) * 2 + divisor
  const twice = divisor * 2
  // The remainder would be slow for doubles. The double nearest to the quotient may be one integer too high.
  let quotient = Math.floor(magnitude / twice)
  if (quotient * twice > magnitude) quotient--
  return dividend < 0 && quotient !== 0 ? -quotient : quotient
}

/** Formats a coordinate in 1e-7 degree as plain decimal degrees, without exponent or trailing zeros. */
export function plainDegrees(e7: number): string {
  const magnitude = Math.abs(e7)
  const whole = Math.floor(magnitude / 1e7)
  const fraction = String(magnitude % 1e7)
    .padStart(7, '0')
    .replace(/0+$/, '')
  return `${e7 < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
