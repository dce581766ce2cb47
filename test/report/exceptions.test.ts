import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExceptionLimits } from '../../src/base/exceptions.ts'
import { exceptionsOf } from '../../src/report/exceptions.ts'
import { type DeviceDay, emptyDeviceDay } from '../../src/store/device-day.ts'

const HOUR = 3_600_000
const START = 1_780_000_000_000
const LIMITS: ExceptionLimits = { offHours: 4, warmAboveSet: 4, warmAbove: 10, silentHours: 24 }

/** A day of a device that was on for all of it, and heard in the last hour. */
const dayWith = (more: Partial<DeviceDay>): DeviceDay => ({
  ...emptyDeviceDay(),
  startAt: START,
  lengthMs: 24 * HOUR,
  passedMs: 24 * HOUR,
  onMs: 24 * HOUR,
  lastHeardAt: START + 23 * HOUR,
  ...more,
})
const of = (more: Partial<DeviceDay>, limits: Partial<ExceptionLimits> = {}): string[] =>
  exceptionsOf(dayWith(more), { ...LIMITS, ...limits })

describe('a device-day', () => {
  test('without anything has none', () => expect(of({})).toEqual([]))

  test.each<[string, Partial<DeviceDay>, Partial<DeviceDay>]>([
    ['moved', { distanceSumMm: 600_001, distanceCount: 3 }, { distanceSumMm: 600_000, distanceCount: 3 }],
    ['off', { onMs: 20 * HOUR - 1, offMs: 4 * HOUR + 1 }, { onMs: 20 * HOUR, offMs: 4 * HOUR }],
    ['warm', { celsiusSum: 20_001, celsiusCount: 2 }, { celsiusSum: 20_000, celsiusCount: 2 }],
    [
      'warm',
      { celsiusSum: 24_001, celsiusCount: 3, setpointSum: 8000, setpointCount: 2 },
      { celsiusSum: 24_000, celsiusCount: 3, setpointSum: 8000, setpointCount: 2 },
    ],
    ['silent', { lastHeardAt: START - 1 }, { lastHeardAt: START }],
    ['silent', { lastHeardAt: 0 }, { lastHeardAt: START + 1 }],
    [
      'silent',
      { passedMs: HOUR, lastHeardAt: START - 23 * HOUR - 1 },
      { passedMs: HOUR, lastHeardAt: START - 23 * HOUR },
    ],
    ['no-power-data', { onMs: 0 }, { onMs: 0, offMs: 1 }],
  ])('is %s by a thousandth or a millisecond more than is allowed', (name, beyond, within) => {
    expect(of(beyond)).toEqual([name])
    expect(of(within)).toEqual([])
  })

  test('has several at once, in one order; limits can be others', () => {
    const all = { distanceSumMm: 300_000, distanceCount: 1, onMs: 0, lastHeardAt: 0, celsiusSum: 9000, celsiusCount: 1 }
    expect(of(all)).toEqual(['moved', 'silent', 'no-power-data'])
    expect(of(all, { movedMetres: 300, warmAbove: 8.9995 })).toEqual(['warm', 'silent', 'no-power-data'])
    expect(of({ offMs: HOUR / 2 + 1, onMs: HOUR }, { offHours: 0.5 })).toEqual(['off'])
  })
})

test('means are compared as fractions, however many readings there are', () => {
  const count = fc.integer({ min: 1, max: 1_000_000 })
  const celsius = fc.integer({ min: -60_000, max: 60_000 })
  const limit = fc.integer({ min: -20_000, max: 20_000 })
  fc.assert(
    fc.property(count, count, celsius, limit, fc.integer({ min: -1, max: 1 }), (n, m, mean, warm, by) => {
      // The mean set temperature is `mean`; that of the readings is above it by `warm` thousandths, and a little more or less.
      const [setpointSum, celsiusSum] = [mean * m, (mean + warm) * n + by]
      const day = { celsiusSum, celsiusCount: n, setpointSum, setpointCount: m }
      expect(of(day, { warmAboveSet: warm / 1000 }).includes('warm')).toBe(by > 0)
      const alone = { celsiusSum, celsiusCount: n }
      expect(of(alone, { warmAbove: (mean + warm) / 1000 }).includes('warm')).toBe(by > 0)
    }),
  )
})
