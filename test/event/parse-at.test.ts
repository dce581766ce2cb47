import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRfc3339 } from '../../src/event/parse-at.ts'
import { parseRfc3339 as referenceParse } from '../reference/rfc3339.ts'

test.each([
  ['no date', ''],
  ['a date alone', '2024-05-10'],
  ['no offset', '2024-05-10T09:00:00'],
  ['no seconds', '2024-05-10T09:00Z'],
  ['a fraction without digits', '2024-05-10T09:00:00.Z'],
  ['a comma before the fraction', '2024-05-10T09:00:00,5Z'],
  ['an offset without a colon', '2024-05-10T09:00:00+0200'],
  ['an offset of 24 hours', '2024-05-10T09:00:00+24:00'],
  ['an offset of 60 minutes', '2024-05-10T09:00:00-00:60'],
  ['a minus sign that is no hyphen', '2024-05-10T09:00:00\u221202:00'],
  ['two blanks', '2024-05-10  09:00:00Z'],
  ['an underscore for the T', '2024-05-10_09:00:00Z'],
  ['a blank at its end', '2024-05-10T09:00:00Z '],
  ['a line feed at its end', '2024-05-10T09:00:00Z\n'],
  ['digits of another script', '\u0662\u0660\u0662\u0664-05-10T09:00:00Z'],
  ['a year of five digits', '12024-05-10T09:00:00Z'],
  ['a sign before the year', '+2024-05-10T09:00:00Z'],
  ['hour 24', '2024-05-10T24:00:00Z'],
  ['minute 60', '2024-05-10T09:60:00Z'],
  ['second 61', '2024-05-10T23:59:61Z'],
  ['month 0', '2024-00-10T09:00:00Z'],
  ['month 13', '2024-13-10T09:00:00Z'],
  ['day 0', '2024-05-00T09:00:00Z'],
  ['the 31st of April', '2024-04-31T09:00:00Z'],
  ['the 29th of February of 2023', '2023-02-29T09:00:00Z'],
  ['the 29th of February of 2100', '2100-02-29T09:00:00Z'],
  ['a leap second amid a UTC day', '2024-05-10T09:00:60Z'],
  ['a leap second at a local midnight', '2016-12-31T23:59:60+01:00'],
])('a text with %s is no instant', (_, text) => {
  expect(parseRfc3339(text)).toBe(null)
})

test.each([
  ['2024-05-10T09:00:00Z', '2024-05-10T09:00:00.000Z'],
  ['2024-05-10t09:00:00z', '2024-05-10T09:00:00.000Z'],
  ['2024-05-10 09:00:00.5+05:45', '2024-05-10T03:15:00.500Z'],
  ['2024-05-10T09:00:00-00:00', '2024-05-10T09:00:00.000Z'],
  ['2024-05-10T09:00:00+23:59', '2024-05-09T09:01:00.000Z'],
  ['2024-05-10T09:00:00-23:59', '2024-05-11T08:59:00.000Z'],
  ['2024-05-10T09:00:00.1239999999999999999999Z', '2024-05-10T09:00:00.123Z'],
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60.25+01:00', '2017-01-01T00:00:00.250Z'],
])('%s is %s', (text, instant) => {
  expect(parseRfc3339(text)).toBe(Date.parse(instant))
})

const two = (value: number): string => String(value).padStart(2, '0')
const offset = fc.integer({ min: -1439, max: 1439 })

test('an instant is read back whatever the offset it is written in, further digits being cut', () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(9999, 11, 30) })
  fc.assert(
    fc.property(instant, offset, fc.stringMatching(/^\d{0,30}$/), (at, minutes, digits) => {
      const local = new Date(at + minutes * 60_000).toISOString().slice(0, -1)
      const size = Math.abs(minutes)
      const sign = minutes < 0 ? '-' : '+'
      expect(parseRfc3339(`${local}${digits}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`)).toBe(at)
    }),
  )
})

test('texts of nearly the right form are read as the plain reference reads them', () => {
  const number = (length: number, most: number) =>
    fc.oneof(
      { weight: 9, arbitrary: fc.nat(most).map((value) => String(value).padStart(length, '0')) },
      { weight: 1, arbitrary: fc.stringMatching(/^[0-9]{0,5}$/) },
    )
  const text = fc
    .tuple(
      number(4, 9999),
      number(2, 13),
      number(2, 32),
      fc.constantFrom('T', 't', ' ', '', '_'),
      number(2, 24),
      number(2, 60),
      number(2, 61),
      fc.constantFrom('', '.5', '.12345', '.', ',5'),
      fc.oneof(
        fc.constantFrom('Z', 'z', '', '+00:00', '-00:01', '+24:00', 'z '),
        fc.tuple(fc.constantFrom('+', '-', ''), number(2, 24), number(2, 60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
      ),
    )
    .map(([y, mo, d, t, h, mi, s, f, z]) => `${y}-${mo}-${d}${t}${h}:${mi}:${s}${f}${z}`)
  const seen = { read: 0, refused: 0 }
  fc.assert(
    fc.property(text, (given) => {
      const instant = parseRfc3339(given)
      if (instant === null) seen.refused++
      else seen.read++
      expect(instant).toBe(referenceParse(given))
    }),
    { numRuns: 5000 },
  )
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(200)
})
