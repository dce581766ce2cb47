const magnitude = (value: bigint) => (value < 0n ? -value : value)

/**
 * The exact quotient of two integers, rounded half away from zero to some decimals, never -0 (RULES.md section 5).
 * Null where the divisor is 0: a mean of nothing is unknown.
 */
export function roundedQuotient(dividend: number, divisor: number, decimals: number): number | null {
  if (divisor === 0) return null
  const scaled = magnitude(BigInt(dividend)) * 10n ** BigInt(decimals)
  const half = BigInt(divisor)
  const units = (2n * scaled + half) / (2n * half)
  const value = Number(units) / 10 ** decimals
  return dividend < 0 && value !== 0 ? -value : value
}

/** 10^-7 degree as a plain decimal without trailing zeros, never with an exponent (RULES.md section 5). */
export function plainDegrees(unit: number): string {
  const digits = String(Math.abs(unit)).padStart(8, '0')
  const decimals = digits.slice(-7).replace(/0+$/, '')
  return `${unit < 0 ? '-' : ''}${digits.slice(0, -7)}${decimals === '' ? '' : `.${decimals}`}`
}
