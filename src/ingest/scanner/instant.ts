import { eightDigits } from './number'

const ZERO: u8 = 0x30
const QUOTE: u8 = 0x22
const PLUS: u8 = 0x2b
const MINUS: u8 = 0x2d
const POINT: u8 = 0x2e
const COLON: u8 = 0x3a
const SPACE: u8 = 0x20
const SMALL_T: u8 = 0x74
const SMALL_Z: u8 = 0x7a
/** Setting this bit makes a capital letter small. */
const CASE_BIT: u8 = 0x20

/** Value of two bytes that are not both digits; no part of a time stamp has this value. */
const NO_PAIR: i32 = 1000

/** By month: its days in a leap year, and the days before it in a common year. */
const LONGEST_MONTH: usize = memory.data<u8>([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
const DAYS_BEFORE_MONTH: usize = memory.data<u16>([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])
/** Days from 0001-01-01 to 1970-01-01. */
const DAYS_BEFORE_1970: i32 = 719_162

const MS_IN_DAY: i64 = 86_400_000
const MS_IN_HOUR: i64 = 3_600_000
const MS_IN_MINUTE: i64 = 60_000

/** Stands for a text that is not an instant. */
export const NO_INSTANT: i64 = i64.MIN_VALUE

/** The place after the instant that was scanned last. */
export let instantEnd: usize = 0

/**
 * Returns the epoch milliseconds of the 13 digits at `from` (instants from 2001 to 2286 have 13 digits); NO_INSTANT if
 * scanNumber must read them.
 */
export function scanEpochMs(from: usize): i64 {
  const head = eightDigits(load<u64>(from))
  // JSON forbids leading zeros.
  if (head < 10_000_000) return NO_INSTANT
  const thousands = pairAt(from + 8)
  const tens = pairAt(from + 10)
  const last = load<u8>(from, 12) ^ ZERO
  if (thousands === NO_PAIR || tens === NO_PAIR || last > 9) return NO_INSTANT
  instantEnd = from + 13
  return head * 100_000 + i64(thousands * 1000 + tens * 10 + last)
}

/**
 * Returns the instant (epoch ms) of the RFC 3339 text that begins at `from` and ends with a quote, as parseRfc3339
 * does; NO_INSTANT if parseRfc3339 must decide: the text is not an instant, or has a leap second or an escape.
 */
export function scanInstant(from: usize): i64 {
  const day = dayAt(from)
  const separator = load<u8>(from, 10)
  if (day === i32.MIN_VALUE || ((separator | CASE_BIT) !== SMALL_T && separator !== SPACE)) return NO_INSTANT
  const hour = pairAt(from + 11)
  const minute = pairAt(from + 14)
  const second = pairAt(from + 17)
  if (load<u8>(from, 13) !== COLON || load<u8>(from, 16) !== COLON) return NO_INSTANT
  if (hour > 23 || minute > 59 || second > 59) return NO_INSTANT
  let position = from + 19
  let milliseconds: i32 = 0
  if (load<u8>(position) === POINT) {
    let unit: i32 = 100
    let digit = load<u8>(++position) ^ ZERO
    if (digit > 9) return NO_INSTANT
    do {
      milliseconds += i32(digit) * unit
      // 100, 10, 1, then 0: further digits are cut.
      unit /= 10
      digit = load<u8>(++position) ^ ZERO
    } while (digit <= 9)
  }
  const ofDay = i64(hour) * MS_IN_HOUR + i64(minute) * MS_IN_MINUTE + i64(second * 1000 + milliseconds)
  const instant = i64(day) * MS_IN_DAY + ofDay
  if ((load<u8>(position) | CASE_BIT) === SMALL_Z) {
    instantEnd = position + 2
    return load<u8>(position, 1) === QUOTE ? instant : NO_INSTANT
  }
  const offset = offsetAt(position)
  instantEnd = position + 7
  return offset !== NO_INSTANT && load<u8>(position, 6) === QUOTE ? instant - offset : NO_INSTANT
}

/** Returns the epoch day of the `YYYY-MM-DD` at `from`; i32.MIN_VALUE if it is not a day. */
function dayAt(from: usize): i32 {
  const century = pairAt(from)
  const yearOfCentury = pairAt(from + 2)
  const month = pairAt(from + 5)
  const day = pairAt(from + 8)
  if (load<u8>(from, 4) !== MINUS || load<u8>(from, 7) !== MINUS) return i32.MIN_VALUE
  // Year 0 is left to parseRfc3339: the count of leap days below needs a year before this one.
  if (century > 99 || yearOfCentury > 99 || century + yearOfCentury === 0) return i32.MIN_VALUE
  if (month < 1 || month > 12 || day < 1 || day > i32(load<u8>(LONGEST_MONTH + month))) return i32.MIN_VALUE
  const year = century * 100 + yearOfCentury
  const isLeap = (year & 3) === 0 && (yearOfCentury !== 0 || (century & 3) === 0)
  if (month === 2 && day === 29 && !isLeap) return i32.MIN_VALUE
  const before = year - 1
  const leapDays = (before >> 2) - before / 100 + before / 400 + i32(isLeap && month > 2)
  const daysBefore = i32(load<u16>(DAYS_BEFORE_MONTH + (month << 1)))
  return before * 365 + leapDays + daysBefore + day - 1 - DAYS_BEFORE_1970
}

/** Returns the offset `+hh:mm` or `-hh:mm` in milliseconds east of UTC, or NO_INSTANT. */
function offsetAt(from: usize): i64 {
  const sign = load<u8>(from)
  const hour = pairAt(from + 1)
  const minute = pairAt(from + 4)
  if ((sign !== PLUS && sign !== MINUS) || load<u8>(from, 3) !== COLON || hour > 23 || minute > 59) return NO_INSTANT
  const offset = i64(hour) * MS_IN_HOUR + i64(minute) * MS_IN_MINUTE
  return sign === MINUS ? -offset : offset
}

/** Returns the value of the two digits at `from`, or NO_PAIR. */
function pairAt(from: usize): i32 {
  const tens = load<u8>(from) ^ ZERO
  const ones = load<u8>(from, 1) ^ ZERO
  return tens > 9 || ones > 9 ? NO_PAIR : i32(tens) * 10 + i32(ones)
}
