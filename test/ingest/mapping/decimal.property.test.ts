import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  add,
  multiply,
  numberText,
  parseDecimal,
  round,
  toNumber,
  truncate,
} from '../../../src/ingest/mapping/decimal.ts'

const decimal = (text: string) => {
  const value = parseDecimal(text)
  if (value === null) throw new Error(text)
  return value
}

test.each([
  ['1.010', '1010'],
  ['-1.234.567,5', '-1234567.5'],
  ['1010', '1010'],
  ['3,5', '3.5'],
  [',5', '.5'],
  ['1,5e3', '1.5e3'],
  ['1.01', null],
  ['1.0100', null],
  ['12.34.567', null],
  ['1234.567', null],
  ['0.500', null],
  ['3,5,1', null],
  ['1,234.5', null],
  [',', null],
  ['', null],
  ['3,5 C', null],
])('with a decimal comma %j is %j', (cell, text) => {
  expect(numberText(cell, true)).toBe(text)
})

test.each([['1,5'], ['1 000'], ['0x10'], ['Infinity'], ['NaN'], ['--1'], ['.'], ['e5'], ['١٢']])(
  '%j is no number',
  (cell) => {
    expect(numberText(cell, false)).toBe(null)
  },
)

test('a number that would need too many digits is refused, not computed', () => {
  for (const text of ['1e999999999', '1e-999999999', `1${'0'.repeat(500)}`]) expect(parseDecimal(text)).toBe(null)
})

test('a double survives the way through a decimal', () => {
  const doubles = fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => (value === 0 ? 0 : value))
  fc.assert(fc.property(doubles, (value) => toNumber(decimal(String(value))) === value))
})

test('sums and products are those of whole numbers, at any scale', () => {
  const part = fc.record({ digits: fc.maxSafeInteger(), exponent: fc.integer({ min: -9, max: 9 }) })
  fc.assert(
    fc.property(part, part, (one, other) => {
      const [a, b] = [one, other].map(({ digits, exponent }) => decimal(`${digits}e${exponent}`))
      const scaled = (of: typeof one) => BigInt(of.digits) * 10n ** BigInt(of.exponent + 9)
      expect(toNumber(add(a, b))).toBe(Number(`${scaled(one) + scaled(other)}e-9`))
      expect(toNumber(multiply(a, b))).toBe(Number(`${scaled(one) * scaled(other)}e-18`))
    }),
  )
})

test('a quotient is the nearest double, cutting goes towards zero, and rounding to the nearest, halves up', () => {
  expect([toNumber(decimal('1'), 3n), toNumber(decimal('-2'), 9n), toNumber(decimal('0'), 9n)]).toEqual([
    1 / 3,
    -2 / 9,
    0,
  ])
  expect(['1.9999', '-1.9999', '5e2', '0.4'].map((text) => truncate(decimal(text)))).toEqual([1, -1, 500, 0])
  expect(['1.5', '1.4999', '-1.5', '-1.6', '2'].map((text) => round(decimal(text)))).toEqual([2, 1, -1, -2, 2])
})
