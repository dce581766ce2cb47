import { millisecondsInDay, parseWallClock } from '../../base/time.ts'
import { parseRfc3339 } from '../../event/parse-at.ts'
import { type Decimal, multiply, numberText, parseDecimal, round, truncate } from './decimal.ts'
import type { LocalClocks } from './local-clock.ts'
import type { AtFormat } from './mapping-at.ts'
import { parsePattern } from './time-pattern.ts'

/** A time of a local clock, in milliseconds since 1970-01-01T00:00 of that clock. */
interface WallTime {
  wallMs: number
}

const SHORT_OFFSET = /(\d\d:\d\d:\d\d(?:\.\d+)?[-+]\d\d)(\d\d)?$/
/** Matches the decimals of a second, to cut those beyond its thousandths. */
const FINER_DIGITS = /([.,]\d{3})\d+$/
/** Day 0 of Excel's 1900 date system, as an epoch day; its day 60 is a 29 February 1900 that never was. */
const EXCEL_EPOCH = -25_569
const FAKE_LEAP_DAY = 60
/** The day after 9999-12-31. */
const EXCEL_END = 2_958_466

/**
 * Returns the `at` of an event (epoch ms or an RFC 3339 text) from its text in a record. A text that is not a time of
 * this format comes back in a form that the checks reject as `bad-at`.
 */
export function readInstant(
  text: string,
  {
    format,
    decimalComma,
    device,
    clocks,
  }: { format: AtFormat; decimalComma: boolean; device: unknown; clocks: LocalClocks },
): unknown {
  if (format.name === 'rfc3339') return text.replace(SHORT_OFFSET, (_, time, minutes = '00') => `${time}:${minutes}`)
  const read = readTime(text, format, decimalComma)
  const instant =
    read === null || typeof read === 'number'
      ? read
      : clocks.resolve(device, format.timezone, read.wallMs, format.repeated)
  return instant ?? unreadable(text)
}

function readTime(text: string, format: AtFormat, decimalComma: boolean): number | WallTime | null {
  if (format.name === 'local') {
    const wallMs = parseWallClock(text.replace(FINER_DIGITS, '$1').replace(',', '.'))
    return wallMs === null ? null : { wallMs }
  }
  if (format.pattern !== null) {
    const ms = parsePattern(text, format.pattern)
    return ms === null || format.pattern.isInstant ? ms : { wallMs: ms }
  }
  const value = decimalOf(text, decimalComma)
  if (value === null) return null
  if (format.name === 'excel-serial') return excelTime(value)
  return truncate(format.name === 'epoch-seconds' ? multiply(value, { digits: 1n, exponent: 3 }) : value)
}

/** Reads a point also as decimal sign: these formats have four or more digits before it, so it splits no thousands. */
function decimalOf(text: string, decimalComma: boolean): Decimal | null {
  const number = numberText(text, decimalComma) ?? numberText(text, false)
  return number === null ? null : parseDecimal(number)
}

function excelTime(days: Decimal): WallTime | null {
  const serial = truncate(days)
  if (days.digits < 0n || serial === FAKE_LEAP_DAY || serial >= EXCEL_END) return null
  const ms = round(multiply(days, { digits: BigInt(millisecondsInDay), exponent: 0 }))
  const beforeLeapDay = serial < FAKE_LEAP_DAY ? millisecondsInDay : 0
  return { wallMs: ms + EXCEL_EPOCH * millisecondsInDay + beforeLeapDay }
}

/** Wraps a text that the checks would accept as a time although it does not have the mapping's format. */
const unreadable = (text: string): unknown => (parseRfc3339(text) === null ? text : { unreadable: text })
