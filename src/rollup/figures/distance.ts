import { type DeviceDay, isOpen } from '../../store/device-day.ts'
import { distanceMm } from '../distance-mm.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'
import { flag, mean } from './statement.ts'

/** The mean deviation above which a device is flagged: 200 m, in millimetres. */
export const FLAGGED_MM = 200_000

export const MEAN_DEVIATION = mean('distanceSumMm', 'distanceCount', {
  reading: 'fix',
  origin: 'fixes',
  unit: 'metres',
  nullWhen: 'without a fix',
  minimum: 0,
  meaning: 'mean distance of the position fixes from where the device is meant to stand; spikes are left out',
  example: 12.08,
  heading: 'off by m',
  importance: 6,
})

export const IS_FAR_OFF = flag('distanceSumMm', 'distanceCount', FLAGGED_MM, {
  meaning: `1 where the unrounded mean distance is above ${FLAGGED_MM / 1000} metres, else 0, also without a fix`,
  example: 0,
  heading: `>${FLAGGED_MM / 1000} m`,
  importance: 8,
})

/** A position in 1e-7 degree. */
export interface Position {
  lat: number
  lon: number
}

interface Fix extends Position {
  at: number
  deviationMm: number
}

/** Tells whether two fixes lie further apart than 200 km/h (500/9 mm per ms) carries in the time between them. */
const outOfReach = (one: Fix, other: Fix): boolean =>
  distanceMm(one.lat, one.lon, other.lat, other.lon) * 9 > 500 * (other.at - one.at)

/**
 * Sums the distances of the day's fixes, without spikes, from where the device is meant to stand. A fix can be judged a
 * spike only once its follower is known, so the latest two fixes are kept.
 */
export class Deviation implements Figure {
  readonly #trace: FoldTrace | null
  #before: Fix | null = null
  #latest: Fix | null = null
  #latestFarFromBefore = false
  #sumMm = 0
  #count = 0
  #spikes = 0

  constructor(trace: FoldTrace | null) {
    this.#trace = trace
  }

  // Only fixes of the same day are neighbours, so nothing is carried over.
  resume(): void {}

  startDay(): void {
    this.#before = this.#latest = null
    this.#latestFarFromBefore = false
    this.#sumMm = this.#count = this.#spikes = 0
  }

  resumeDay(rollup: DeviceDay): void {
    this.#sumMm = rollup.distanceSumMm
    this.#count = rollup.distanceCount
    this.#spikes = rollup.spikes
    this.#latest = fixOf(rollup, 'last')
    if (this.#latest === null) return
    // The rollup counted the last fix, which had no follower yet.
    this.#sumMm -= this.#latest.deviationMm
    this.#count--
    this.#before = fixOf(rollup, 'prior')
    this.#latestFarFromBefore = this.#before !== null && outOfReach(this.#before, this.#latest)
  }

  /** Takes the next fix in order, and the position at which the device is meant to be at that instant. */
  fix(at: number, lat: number, lon: number, meant: Position): void {
    const fix = { at, lat, lon, deviationMm: distanceMm(lat, lon, meant.lat, meant.lon) }
    this.#trace?.fix(fix.deviationMm)
    const latest = this.#latest
    const before = this.#before
    const far = latest !== null && outOfReach(latest, fix)
    if (latest !== null) {
      const spike = before !== null && this.#latestFarFromBefore && far && !outOfReach(before, fix)
      this.#settle(latest, spike)
    }
    this.#before = latest
    this.#latest = fix
    this.#latestFarFromBefore = far
  }

  #settle(fix: Fix, spike: boolean): void {
    this.#trace?.judged(spike)
    if (spike) {
      this.#spikes++
    } else {
      this.#sumMm += fix.deviationMm
      this.#count++
    }
  }

  finishDay(into: DeviceDay): void {
    if (this.#latest !== null) this.#settle(this.#latest, false)
    into.distanceSumMm = this.#sumMm
    into.distanceCount = this.#count
    into.spikes = this.#spikes
    if (isOpen(into)) this.#writeFixes(into)
  }

  #writeFixes(into: DeviceDay): void {
    const [latest, before] = [this.#latest, this.#before]
    if (latest === null) return
    into.lastFixMs = latest.at - into.startAt
    into.lastFixLat = latest.lat
    into.lastFixLon = latest.lon
    into.lastFixMm = latest.deviationMm
    if (before === null) return
    into.priorFixMs = before.at - into.startAt
    into.priorFixLat = before.lat
    into.priorFixLon = before.lon
  }
}

/** Returns one of the fixes that a rollup has kept; null if it has none. The deviation is 0 where it is not kept. */
function fixOf(rollup: DeviceDay, which: 'last' | 'prior'): Fix | null {
  const ms = rollup[`${which}FixMs`]
  if (ms < 0) return null
  const deviationMm = which === 'last' ? rollup.lastFixMm : 0
  return { at: rollup.startAt + ms, lat: rollup[`${which}FixLat`], lon: rollup[`${which}FixLon`], deviationMm }
}
