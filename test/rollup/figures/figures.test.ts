import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAGGED_MM } from '../../../src/rollup/figures/distance.ts'
import { FIGURE_NAMES, FIGURES, type Figures, finalise } from '../../../src/rollup/figures/figures.ts'
import { type DeviceDay, emptyDeviceDay } from '../../../src/store/device-day.ts'
import { addDay, newTotals, TOTALS_OF_DEVICE } from '../../../src/store/totals.ts'
import { NO_FIGURES } from '../../helpers/no-figures.ts'

/** The figures of days with these statistics. */
function figuresOf(...days: readonly Partial<DeviceDay>[]): Figures {
  const totals = newTotals(3)
  const place = TOTALS_OF_DEVICE
  for (const day of days) addDay(totals, place, { ...emptyDeviceDay(), ...day })
  expect(finalise(totals, 0)).toEqual(finalise(newTotals(1), 0))
  expect(finalise(totals, 2 * place)).toEqual(finalise(newTotals(1), 0))
  return finalise(totals, place)
}

test('of no day, and of days without data, counts and hours are 0, and all else is unknown', () => {
  expect(figuresOf()).toEqual(NO_FIGURES)
  expect(figuresOf({}, {})).toEqual(NO_FIGURES)
  expect(FIGURE_NAMES).toEqual(Object.keys(NO_FIGURES))
})

test('days are added up; a day without readings has no extreme', () => {
  const cold = { celsiusSum: -5000, celsiusCount: 2, celsiusMin: -3000, celsiusMax: -2000 }
  const mild = { celsiusSum: -1000, celsiusCount: 1, celsiusMin: -1000, celsiusMax: -1000, setpointSum: 8000 }
  const busy = { visitors: 3, doors: 4, onMs: 3_600_000, onDaytimeMs: 1_800_000, setpointCount: 2 }
  expect(figuresOf(cold, {}, { ...mild, ...busy }, busy)).toEqual({
    ...NO_FIGURES,
    visitorCount: 6,
    openCloseNum: 8,
    currTemp: -2,
    setTemp: 2,
    maxTemp: -1,
    minTemp: -3,
    powerDuration: 2,
    powerDayDuration: 1,
  })
})

test.each([
  [4005, 4.01],
  [4004, 4],
  [-4005, -4.01],
  [-4, 0],
  [5, 0.01],
  [-5, -0.01],
  [0, 0],
])('a reading of %i thousandths is %d degrees, halves away from zero', (celsius, expected) => {
  const figures = figuresOf({ celsiusSum: celsius, celsiusCount: 1, celsiusMin: celsius, celsiusMax: celsius })
  expect([figures.currTemp, figures.minTemp, figures.maxTemp]).toEqual([expected, expected, expected])
})

test.each([
  [3_600_000, 1],
  [0, 0],
  [180, 0.0001],
  [179, 0],
  [60_000, 0.0167],
  [86_400_000 * 31, 744],
])('%i ms are %d hours', (onMs, expected) => {
  expect(figuresOf({ onMs, onDaytimeMs: onMs })).toMatchObject({ powerDuration: expected, powerDayDuration: expected })
})

describe('means', () => {
  test('are rounded once, from the sum of all days', () => {
    expect(figuresOf({ setpointSum: 20, setpointCount: 3 }).setTemp).toBe(0.01)
    expect(figuresOf({ setpointSum: -25, setpointCount: 5 }).setTemp).toBe(-0.01)
    // Means of 0.004 and 0.006 degrees would be 0 and 0.01.
    expect(figuresOf({ setpointSum: 4, setpointCount: 1 }, { setpointSum: 6, setpointCount: 1 }).setTemp).toBe(0.01)
  })

  test('are the doubles that their decimals are read as', () => {
    const sums = fc.tuple(fc.integer({ min: 0, max: 10 ** 13 }), fc.integer({ min: 1, max: 10 ** 6 }))
    fc.assert(
      fc.property(sums, ([distanceSumMm, distanceCount]) => {
        const digits = String((BigInt(distanceSumMm) * 2n + BigInt(distanceCount * 10)) / BigInt(distanceCount * 20))
        const text = digits.padStart(3, '0').replace(/(..)$/, '.$1')
        expect(figuresOf({ distanceSumMm, distanceCount }).distance).toBe(Number(text))
      }),
    )
  })
})

test('the flag comes from the unrounded mean: it is 0 at the limit', () => {
  const flagOf = (distanceSumMm: number) => figuresOf({ distanceSumMm, distanceCount: 3 })
  expect(flagOf(3 * FLAGGED_MM)).toMatchObject({ distance: 200, distanceMore: 0 })
  expect(flagOf(3 * FLAGGED_MM + 1)).toMatchObject({ distance: 200, distanceMore: 1 })
})

test('every example has the decimals that its figure may have', () => {
  for (const { example, places } of Object.values(FIGURES)) expect(Number(example.toFixed(places))).toBe(example)
})
