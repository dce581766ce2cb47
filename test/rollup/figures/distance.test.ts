import { describe, expect, test } from 'vitest'
import { distanceMm } from '../../../src/rollup/distance-mm.ts'
import { Deviation } from '../../../src/rollup/figures/distance.ts'
import { emptyDeviceDay } from '../../../src/store/device-day.ts'

/** Fixes on the equator: epoch ms, and 1e-7 degrees of longitude. */
type Fixes = readonly (readonly [at: number, lon: number])[]

function spikesOf(fixes: Fixes): number {
  const deviation = new Deviation(null)
  const day = emptyDeviceDay()
  deviation.startDay()
  for (const [at, lon] of fixes) deviation.fix(at, 0, lon, { lat: 0, lon: 0 })
  deviation.finishDay(day)
  expect(day.distanceCount + day.spikes).toBe(fixes.length)
  return day.spikes
}

/** A place to the east that 200 km/h (500 mm in 9 ms) reaches in a whole number of milliseconds, and that number. */
function reach(): { lon: number; ms: number } {
  for (let lon = 2e6; lon < 3e6; lon++) {
    const mm = distanceMm(0, 0, 0, lon)
    if (mm % 500 === 0) return { lon, ms: (mm / 500) * 9 }
  }
  throw new Error('no such place')
}

const { lon, ms } = reach()

test('a distance is one of metres, and 200 km/h takes its time', () => {
  expect(distanceMm(0, 0, 0, lon)).toBeCloseTo(((lon / 1e7) * Math.PI * 6_371_008_800) / 180, -1)
  expect(ms).toBeCloseTo((distanceMm(0, 0, 0, lon) / 200e6) * 3_600_000, 5)
})

describe('a fix that lies beside both of its neighbours, which are at one place', () => {
  test.each([
    ['exactly as far as 200 km/h carries from both is none', ms, ms, 0],
    ['further than that from both is a spike', ms - 1, ms - 1, 1],
    ['further than that only from the one before is none', ms - 1, ms, 0],
    ['further than that only from the one after is none', ms, ms - 1, 0],
  ])('%s', (_, before, after, expected) => {
    const fixes: Fixes = [
      [0, 0],
      [before, lon],
      [before + after, 0],
    ]
    expect(spikesOf(fixes)).toBe(expected)
  })
})

describe('a fix far from both of its neighbours, which are apart', () => {
  // They are `lon` apart in `between` ms, and the fix between them is at the other side of the Earth.
  const apart = (between: number): Fixes => [
    [0, 0],
    [Math.floor(between / 2), 18e8],
    [between, lon],
  ]

  test('is a spike where these are exactly within the reach of 200 km/h of each other', () => {
    expect(spikesOf(apart(ms))).toBe(1)
  })

  test('is none where they are further apart', () => {
    expect(spikesOf(apart(ms - 1))).toBe(0)
  })
})
