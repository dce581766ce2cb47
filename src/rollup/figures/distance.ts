import type { DeviceDay } from '../../store/device-day.ts'
import { distanceMm } from '../distance-mm.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'

/** A position in 1e-7 degree. */
export interface Position {
  lat: number
  lon: number
}

interface Fix extends Position {
  at: number
  deviationMm: number
}

/** 200 km/h in millimetres per millisecond is 500/9; farther than it carries in the time between is out of reach. */
const outOfReach = (one: Fix, other: Fix): boolean =>
  distanceMm(one.lat, one.lon, other.lat, other.lon) * 9 > 500 * (other.at - one.at)

/**
 * `distance`: deviations of the day's fixes from where the device is meant to stand. A fix is judged a spike once its
 * follower is known, so the latest two fixes are held back.
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

  // Neighbours of a fix are fixes of the same day: nothing is carried.
  resume(): void {}

  startDay(): void {
    this.#before = this.#latest = null
    this.#latestFarFromBefore = false
    this.#sumMm = this.#count = this.#spikes = 0
  }

  /** The next fix in order, and the position the device is meant to have at its instant. */
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
  }
}
