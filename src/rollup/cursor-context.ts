import type { Placement } from '../event/placement.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { FoldSettings } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import type { Calendar } from './local-day.ts'
import type { StoredRollups } from './stored-rollups.ts'

/** What a device's days need beside its events. */
export interface CursorContext {
  device: number
  calendar: Calendar
  placements: readonly Placement[]
  /** Stands in where there is no placement: the device's earliest fix. */
  standIn: Position | null
  settings: FoldSettings
  /** Instant of the rollup, epoch ms. */
  now: number
  /** Raw events before it are gone: no day that starts before it is computed, and what is stored of it stays. */
  purgedBefore: number
  /** A day that starts at or after this instant is left to a later pass; a moved device is done in one. */
  windowEnd: number
  /** Spans whose days must be computed, ascending. */
  due: readonly Span[]
  /**
   * A placement changed, or what stands in for one: all days from the first due one on must be computed, and may have
   * other bounds and other dates than before.
   */
  moved: boolean
}

/** Instants in epoch ms, both ends counted. */
export interface Span {
  from: number
  to: number
}

/** What became of one day. */
export interface CursorResult {
  device: number
  /** Local day, epoch day. */
  day: number
  /** Null removes what is stored. */
  rollup: DeviceDay | null
  /** What is stored of that day. */
  old: DeviceDay | null
  /** When the day closes, epoch ms. */
  closesAt: number
}

/** How a cursor reaches what is stored, and where its results go. */
export interface CursorOutput {
  stored: StoredRollups
  put(result: CursorResult): void
  /** The day that holds `fromAt` is due in a later pass. */
  stillDue(device: number, fromAt: number): void
}
