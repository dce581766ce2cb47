import type { Placement } from '../event/placement.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { FoldSettings } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import type { Calendar } from './local-day.ts'
import type { StoredRollups } from './stored-rollups.ts'

/** What computing a device's days needs besides its events. */
export interface CursorContext {
  device: number
  calendar: Calendar
  placements: readonly Placement[]
  /** The device's earliest fix. It replaces the placement of a device that was never placed. */
  standIn: Position | null
  settings: FoldSettings
  /** Instant of the rollup, epoch ms. */
  now: number
  /** Epoch ms; raw events before it are deleted. Days that start earlier are not computed and stay as stored. */
  purgedBefore: number
  /** Days that start at or after this instant are left to a later pass; a moved device is computed in one pass. */
  windowEnd: number
  /** Spans whose days must be computed, ascending. */
  due: readonly InclusiveSpan[]
  /**
   * A placement, or the fix that stands in for one, changed: all days from the first due day on must be computed, and
   * may have other bounds and dates than before.
   */
  moved: boolean
  /**
   * Epoch ms of the earliest event that is new; Infinity for none. -Infinity if days are due for another reason than new
   * events and the passing of time.
   */
  newFrom: number
}

/** A span of instants in epoch ms, both ends included. */
export interface InclusiveSpan {
  from: number
  to: number
}

/** The result of one day. */
export interface CursorResult {
  device: number
  /** Local day, epoch day. */
  day: number
  /** Null removes the stored rollup. */
  rollup: DeviceDay | null
  /** The rollup stored for that day, if any. */
  old: DeviceDay | null
  /** When the day closes, epoch ms. */
  closesAt: number
}

/** Gives a cursor access to stored rollups, and takes its results. */
export interface CursorOutput {
  stored: StoredRollups
  put(result: CursorResult): void
  /** Leaves the day that holds `fromAt` (epoch ms) due for a later pass. */
  stillDue(device: number, fromAt: number): void
}
