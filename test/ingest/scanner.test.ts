import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRfc3339 } from '../../src/event/parse-at.ts'
import { scanModule } from '../../src/ingest/scan/scan-module.ts'
import { decimal } from './decimal.ts'

/** Where the scanner has the text now. */
function putText(text: string): number {
  const { scanner, bytes } = scanModule()
  bytes.write(text, scanner.WINDOW.value, 'latin1')
  return scanner.WINDOW.value
}

/** NaN where it is none. */
function scannedNumber(text: string): { value: number; length: number } {
  const from = putText(`${text}\n`)
  const { scanner } = scanModule()
  return { value: scanner.scanNumber(from), length: scanner.numberEnd.value - from }
}

/** Null where it is none, or left to parseRfc3339. */
function scannedInstant(text: string): { instant: number; length: number } | null {
  const from = putText(`${text}"\n`)
  const { scanner } = scanModule()
  const instant = scanner.scanInstant(from)
  return instant === -(2n ** 63n) ? null : { instant: Number(instant), length: scanner.instantEnd.value - from }
}

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test('a number is to the bit what JSON.parse makes of it, or is left to it', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      const { value, length } = scannedNumber(text)
      const isWhole = !Number.isNaN(value) && length === text.length
      const expected = parsed(text)
      expect(isWhole ? value : 'none').toBe(typeof expected === 'number' ? expected : 'none')
    }),
    { numRuns: 4000 },
  )
})

test('an instant is what parseRfc3339 makes of it, or is left to it', () => {
  const two = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'))
  const part = (...arbitraries: fc.Arbitrary<string>[]) => fc.tuple(...arbitraries).map((parts) => parts.join(''))
  const is = (...texts: string[]) => fc.constantFrom(...texts)
  const date = part(two(99), two(99), is('-', '-', '-', '/'), two(13), is('-'), two(32))
  const time = part(two(24), is(':'), two(60), is(':', ':', ':', '.'), two(61))
  const fraction = fc.oneof(is('', ''), fc.stringMatching(/^\.[0-9]{0,6}$/))
  const zone = fc.oneof(is('Z', 'z', '', 'z '), part(is('+', '-', '_'), two(24), is(':', ':', ':', ''), two(60)))
  const seen = { good: 0 }
  fc.assert(
    fc.property(part(date, is('T', 't', ' ', '_'), time, fraction, zone), (text) => {
      const scanned = scannedInstant(text)
      if (scanned === null) return
      seen.good++
      expect(scanned).toEqual({ instant: parseRfc3339(text), length: text.length + 1 })
    }),
    { numRuns: 2000 },
  )
  expect(seen.good).toBeGreaterThan(100)
})

test('days begin when the calendar says', () => {
  const dayOf = (year: number, month: number, day: number) => new Date(new Date(0).setUTCFullYear(year, month, day))
  const wrong = Array.from({ length: 2500 }, (_, index) => 2500 - index)
    // Of most years the days at which a leap day is seen, of those of events all.
    .map((year): [number, number] => (year > 1990 && year < 2110 ? [year, 366] : [year, 61]))
    .flatMap(([year, days]) => Array.from({ length: days === 61 ? 3 : days }, (_, day) => dayOf(year, 0, days - day)))
    .filter((date) => scannedInstant(date.toISOString())?.instant !== date.getTime())
  expect(wrong).toEqual([])
  const impossible = '2023-02-29 1900-02-29 2024-02-30 2024-04-31 2024-00-01 2024-13-01 2024-01-00 0000-01-01'.split(
    ' ',
  )
  for (const text of impossible) {
    expect(scannedInstant(`${text}T00:00:00Z`), text).toBeNull()
  }
})
