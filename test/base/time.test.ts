import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatDay,
  formatWallClock,
  millisecondsInDay,
  parseDay,
  parseHttpDate,
  utcDayOf,
} from '../../src/base/time.ts'

describe('a day', () => {
  test.each([
    ['no integer', 20240510.5],
    ['a text', '20240510'],
    ['null', null],
    ['nothing', undefined],
    ['an array', [20240510]],
    ['a bigint', 20240510n],
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['0', 0],
    ['negative', -20240510],
    ['epoch milliseconds', 1_715_299_200_000],
    ['of a year of three digits', 9_990_101],
    ['before the year 1000', 9_991_231],
    ['after the year 9999', 100_000_101],
    ['of month 0', 20240010],
    ['of month 13', 20241310],
    ['day 0', 20240500],
    ['day 32', 20240532],
    ['day 99', 20240599],
    ['the 31st of April', 20240431],
    ['the 29th of February of 2023', 20230229],
    ['the 29th of February of 1900', 19000229],
  ])('that is %s is none', (_, value) => {
    expect(parseDay(value)).toBe(null)
  })

  test.each([
    [19700101, 0],
    [19691231, -1],
    [19700201, 31],
    [20000229, 11_016],
    [20240229, 19_782],
    [20240301, 19_783],
    [10000101, -354_285],
    [99991231, 2_932_896],
  ])('%i is day %i since 1970', (day, epochDay) => {
    expect(parseDay(day)).toBe(epochDay)
    expect(formatDay(epochDay)).toBe(day)
  })

  test('is read back from what it is written as, and the next one is one more', () => {
    fc.assert(
      fc.property(fc.integer({ min: -354_285, max: 2_932_895 }), (epochDay) => {
        const day = formatDay(epochDay)
        expect(parseDay(day)).toBe(epochDay)
        expect(new Date(epochDay * millisecondsInDay).toISOString().slice(0, 10).replaceAll('-', '')).toBe(String(day))
        expect(formatDay(epochDay + 1)).toBeGreaterThan(day)
      }),
      { numRuns: 1000 },
    )
  })

  test('is read of any integer of eight digits just where the calendar has it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000_000, max: 99_999_999 }), (value) => {
        const text = String(value)
        const iso = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
        const date = new Date(`${iso}T00:00:00Z`)
        const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso)
        expect(parseDay(value)).toBe(isDay ? date.getTime() / millisecondsInDay : null)
      }),
      { numRuns: 2000 },
    )
  })
})

test('the UTC day of an instant holds its first and its last millisecond, before 1970, too', () => {
  const instants = [0, millisecondsInDay - 1, millisecondsInDay, -1, -millisecondsInDay, -millisecondsInDay - 1]
  expect(instants.map(utcDayOf)).toEqual([0, 0, 1, -1, -1, -2])
})

test('a wall clock is written to the second, with two digits each, and what is below is cut', () => {
  const clock = (text: string): string => formatWallClock(Date.parse(`${text}Z`))
  expect(clock('2024-05-09T03:04:05.999')).toBe('2024-05-09 03:04:05')
  expect(clock('2024-12-31T23:59:59')).toBe('2024-12-31 23:59:59')
  expect(clock('2000-01-01T00:00:00')).toBe('2000-01-01 00:00:00')
})

test('a date of HTTP is read in its one form', () => {
  expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(784_111_777_000)
  for (const text of [
    '',
    'soon',
    '120',
    '1994-11-06',
    'Sun, 06 Nov 1994 08:49:37 PST',
    'Sun, 06 Xyz 1994 08:49:37 GMT',
  ])
    expect(parseHttpDate(text)).toBeNull()
})
