import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from '../time.ts'
import type { Cursor } from './scan-number.ts'

const ZERO = 0x30
const QUOTE = 0x22
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const COLON = 0x3a
const SPACE = 0x20
const SMALL_T = 0x74
const SMALL_Z = 0x7a
/** Capitals become small letters by it. */
const CASE_BIT = 0x20

/** Any two bytes that are no digits have this value, which no part of a time stamp can have. */
const NO_PAIR = 1000

/** Days of the months of a leap year, and days before them in any other year. */
const LONGEST_MONTH = Uint8Array.of(0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
const DAYS_BEFORE_MONTH = Uint16Array.of(0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
/** Days from 0001-01-01 to 1970-01-01. */
const DAYS_BEFORE_1970 = 719_162

/**
 * The epoch milliseconds of 13 digits that begin at `from`, as those from 2001 to 2286 do; the cursor is put behind
 * them. NaN where scanNumber must be asked.
 */
export function scanEpochMs(view: DataView, from: number, cursor: Cursor): number {
  const millions = fourDigits(view.getInt32(from, true))
  const hundreds = fourDigits(view.getInt32(from + 4, true))
  const rest = fourDigits(view.getInt32(from + 8, true))
  const last = view.getUint8(from + 12) ^ ZERO
  // A leading zero is no JSON.
  if (millions < 1000 || hundreds < 0 || rest < 0 || last > 9) return Number.NaN
  cursor.position = from + 13
  return (millions * 10_000 + hundreds) * 100_000 + rest * 10 + last
}

/** The value of four digits that were read as a little-endian integer, all in one go; -1 where they are none. */
function fourDigits(word: number): number {
  const digits = word ^ 0x30_30_30_30
  // 10 and more, plus 0x76, has its highest bit set.
  if (((digits | (digits + 0x76_76_76_76)) & 0x80_80_80_80) !== 0) return -1
  const pairs = (Math.imul(digits, 10) + (digits >>> 8)) & 0x00_ff_00_ff
  return (pairs & 0xff) * 100 + (pairs >>> 16)
}

/**
 * The instant, in epoch ms, of the RFC 3339 text that begins at `from` and ends with a quote, as parseRfc3339 has it;
 * the cursor is put behind the quote. NaN where parseRfc3339 must be asked: the text is none, or has a leap second or
 * an escape.
 */
export function scanInstant(bytes: Buffer, from: number, cursor: Cursor): number {
  const date = midnightAt(bytes, from)
  const separator = bytes[from + 10]
  if ((separator | CASE_BIT) !== SMALL_T && separator !== SPACE) return Number.NaN
  const hour = pairAt(bytes, from + 11)
  const minute = pairAt(bytes, from + 14)
  const second = pairAt(bytes, from + 17)
  if (bytes[from + 13] !== COLON || bytes[from + 16] !== COLON) return Number.NaN
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  let position = from + 19
  let milliseconds = 0
  if (bytes[position] === POINT) {
    let unit = 100
    let digit = bytes[++position] ^ ZERO
    if (digit > 9) return Number.NaN
    do {
      milliseconds += digit * unit
      // 100, 10, 1, then 0: further digits are cut.
      unit = (unit / 10) | 0
      digit = bytes[++position] ^ ZERO
    } while (digit <= 9)
  }
  const instant = date + hour * millisecondsInHour + minute * millisecondsInMinute + second * 1000 + milliseconds
  if ((bytes[position] | CASE_BIT) === SMALL_Z) {
    cursor.position = position + 2
    return bytes[position + 1] === QUOTE ? instant : Number.NaN
  }
  cursor.position = position + 7
  return bytes[position + 6] === QUOTE ? instant - offsetAt(bytes, position) : Number.NaN
}

/** Of `YYYY-MM-DD`. */
function midnightAt(bytes: Buffer, from: number): number {
  const century = pairAt(bytes, from)
  const yearOfCentury = pairAt(bytes, from + 2)
  const month = pairAt(bytes, from + 5)
  const day = pairAt(bytes, from + 8)
  if (bytes[from + 4] !== MINUS || bytes[from + 7] !== MINUS) return Number.NaN
  // The year 0 is left out: years before it would have to be counted.
  if (century > 99 || yearOfCentury > 99 || century + yearOfCentury === 0) return Number.NaN
  if (month < 1 || month > 12 || day < 1 || day > LONGEST_MONTH[month]) return Number.NaN
  const year = century * 100 + yearOfCentury
  const leap = (year & 3) === 0 && (yearOfCentury !== 0 || (century & 3) === 0)
  if (month === 2 && day === 29 && !leap) return Number.NaN
  const before = year - 1
  const leapDays = (before >> 2) - ((before / 100) | 0) + ((before / 400) | 0) + (leap && month > 2 ? 1 : 0)
  return (before * 365 + leapDays + DAYS_BEFORE_MONTH[month] + day - 1 - DAYS_BEFORE_1970) * millisecondsInDay
}

/** Milliseconds east of UTC, of `+hh:mm` or `-hh:mm`. */
function offsetAt(bytes: Buffer, from: number): number {
  const sign = bytes[from]
  const hour = pairAt(bytes, from + 1)
  const minute = pairAt(bytes, from + 4)
  if ((sign !== PLUS && sign !== MINUS) || bytes[from + 3] !== COLON || hour > 23 || minute > 59) return Number.NaN
  const offset = hour * millisecondsInHour + minute * millisecondsInMinute
  return sign === MINUS ? -offset : offset
}

/** The value of two digits, or NO_PAIR. */
function pairAt(bytes: Buffer, from: number): number {
  const tens = bytes[from] ^ ZERO
  const ones = bytes[from + 1] ^ ZERO
  return tens > 9 || ones > 9 ? NO_PAIR : tens * 10 + ones
}
