import type { DeviceDay } from '../../store/device-day.ts'
import type { LocalDay } from '../local-day.ts'

/**
 * One figure of a device-day, folded from the device's events in order (RULES.md 2): `startDay`, the events that
 * concern it, then `finishDay`. The state carried to the next day is stored with the day's statistics, so that a fold
 * can start again from any stored day.
 */
export interface Figure {
  /** Restores the state carried from the day before; null before the device's first day. */
  resume(before: DeviceDay | null): void
  startDay(day: LocalDay): void
  /** Goes on from the rollup of the day, made when it was open, as if its events had been folded since `startDay`. */
  resumeDay(rollup: DeviceDay): void
  /** Writes the figure's statistics of the day that ends, and the state carried out of it. */
  finishDay(into: DeviceDay): void
}
