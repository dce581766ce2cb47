import type { DeviceDay } from '../../store/device-day.ts'
import type { LocalDay } from '../local-day.ts'

/**
 * One figure of a device-day, folded from the device's events in their order (RULES.md 2). A fold is told of a day's
 * start, then of the events that concern it, then asked for its part of the day's statistics; what it carries to the
 * next day goes into the statistics too, so that a fold can start again from any stored day.
 */
export interface Figure {
  /** Takes up the state carried out of the day before; null before the device's first day. */
  resume(before: DeviceDay | null): void
  startDay(day: LocalDay): void
  /** Writes this figure's statistics and carried state of the day that ends. */
  finishDay(into: DeviceDay): void
}
