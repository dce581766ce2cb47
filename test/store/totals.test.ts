import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DeviceDay, emptyDeviceDay } from '../../src/store/device-day.ts'
import { AT, addDay, newTotals, TOTALLED, TOTALS_OF_DEVICE } from '../../src/store/totals.ts'

const amount = fc.integer({ min: -1e9, max: 1e9 })
const count = fc.integer({ min: 0, max: 3 })
const day: fc.Arbitrary<DeviceDay> = fc
  .record({
    visitors: count,
    doors: count,
    celsiusSum: amount,
    celsiusCount: count,
    celsiusMin: amount,
    celsiusMax: amount,
    setpointSum: amount,
    setpointCount: count,
    onMs: count,
    onDaytimeMs: count,
    distanceSumMm: amount,
    distanceCount: count,
  })
  .map((statistics) => ({ ...emptyDeviceDay(), ...statistics }))

/** By the rules alone (RULES.md 4): all are summed but the extremes, and a day without a reading has none. */
function expected(days: readonly DeviceDay[]): Record<string, number> {
  const sums = TOTALLED.filter((name) => !/M(in|ax)$/.test(name)).map((name) => [
    name,
    days.reduce((sum, one) => sum + one[name], 0),
  ])
  const withReadings = days.filter(({ celsiusCount }) => celsiusCount > 0)
  return {
    ...Object.fromEntries(sums),
    celsiusMin: Math.min(...withReadings.map(({ celsiusMin }) => celsiusMin)),
    celsiusMax: Math.max(...withReadings.map(({ celsiusMax }) => celsiusMax)),
  }
}

test('of each device its days are combined, in any order, and those of the devices beside it are not touched', () => {
  fc.assert(
    fc.property(fc.array(day, { maxLength: 8 }), fc.array(day, { maxLength: 4 }), (own, others) => {
      const totals = newTotals(3)
      for (const one of own) addDay(totals, TOTALS_OF_DEVICE, one)
      for (const one of others) addDay(totals, 2 * TOTALS_OF_DEVICE, one)
      const named = (place: number) =>
        Object.fromEntries(TOTALLED.map((name) => [name, totals[place * TOTALS_OF_DEVICE + AT[name]]]))
      expect(named(0)).toEqual(expected([]))
      expect(named(1)).toEqual(expected(own.toReversed()))
      expect(named(2)).toEqual(expected(others))
    }),
  )
})
