import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainDegrees, roundedQuotient } from '../../src/base/rounding.ts'

/** The quotient by BigInt, rounded half away from zero. */
function exactly(dividend: number, divisor: number): number {
  const [size, by] = [BigInt(Math.abs(dividend)), BigInt(divisor)]
  const quotient = Number((2n * size + by) / (2n * by))
  return dividend < 0 && quotient !== 0 ? -quotient : quotient
}

/** Of any size, and often just at a half or beside one. */
const quotients = fc
  .oneof(
    fc.tuple(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), fc.integer({ min: 1, max: 2 ** 40 })),
    fc
      .tuple(
        fc.integer({ min: 1, max: 2 ** 20 }),
        fc.integer({ min: -(2 ** 30), max: 2 ** 30 }),
        fc.constantFrom(-1, 0, 1),
      )
      .map(([half, whole, step]): [number, number] => [whole * 2 * half + half + step, 2 * half]),
  )
  .filter(([dividend, divisor]) => Math.abs(dividend) * 2 + divisor <= Number.MAX_SAFE_INTEGER)

describe('a quotient', () => {
  test('is the nearest integer, exactly, and is never -0', () => {
    fc.assert(
      fc.property(quotients, ([dividend, divisor]) => {
        // toBe tells -0 from 0.
        expect(roundedQuotient(dividend, divisor)).toBe(exactly(dividend, divisor))
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    [5, 10, 1],
    [-5, 10, -1],
    [4, 10, 0],
    [-4, 10, 0],
    [15, 10, 2],
    [-15, 10, -2],
    [25, 10, 3],
    [0, 7, 0],
    [-0, 7, 0],
    [1, 3, 0],
    [2, 3, 1],
    [2 ** 52 - 1, 1, 2 ** 52 - 1],
    [2 ** 52 - 1, 2, 2 ** 51],
  ])('of %i and %i is %i', (dividend, divisor, expected) => {
    expect(roundedQuotient(dividend, divisor)).toBe(expected)
  })

  test('is exact where twice the dividend and the divisor together are below 2^53', () => {
    const divisor = 2 ** 50 + 1
    const belowHalf = 2 * divisor - (divisor + 1) / 2
    expect(2 * belowHalf + divisor).toBeLessThan(2 ** 53)
    expect(roundedQuotient(belowHalf, divisor)).toBe(exactly(belowHalf, divisor))
  })
})

describe('degrees', () => {
  test.each([
    [0, '0'],
    [1, '0.0000001'],
    [-1, '-0.0000001'],
    [10_000_000, '1'],
    [-1_800_000_000, '-180'],
    [525_200_000, '52.52'],
    [-134_050_001, '-13.4050001'],
    [5_000_000, '0.5'],
  ])('of %i units are written %s', (e7, text) => {
    expect(plainDegrees(e7)).toBe(text)
  })

  test('are plain decimals without trailing zeros, and read back to their units', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }), (e7) => {
        const text = plainDegrees(e7)
        expect(text).toMatch(/^-?\d+(\.\d{0,6}[1-9])?$/)
        expect(text).not.toMatch(/^-?0\d|^-0$/)
        expect(Math.round(Number(text) * 1e7)).toBe(e7)
      }),
    )
  })
})
