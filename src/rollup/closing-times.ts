import { millisecondsInMinute } from '../base/time.ts'

/** Zones are ahead of UTC by a multiple of this. */
const OFFSET_STEP_MINUTES = 15

/**
 * Returns the minutes of the hour (UTC) at which days may close: days close at `COOLER_ROLLUP_AT` of their own zone,
 * which is one of four minutes of every hour. The store records which days have closed, so nights on which a clock
 * reads that time twice or never do no harm.
 */
export const closingMinutes = (rollupAtMinute: number): number[] =>
  Array.from(
    { length: 60 / OFFSET_STEP_MINUTES },
    (_, step) => (rollupAtMinute % OFFSET_STEP_MINUTES) + step * OFFSET_STEP_MINUTES,
  )

/** Returns the last instant (epoch ms), up to and including this one, at which days of some zone may have closed. */
export const lastClosing = (instant: number, rollupAtMinute: number): number =>
  instant + untilNextClosing(instant, rollupAtMinute) - OFFSET_STEP_MINUTES * millisecondsInMinute

/** Returns the milliseconds (above 0) from an instant (epoch ms) to the next one at which days of a zone may close. */
export function untilNextClosing(now: number, rollupAtMinute: number): number {
  const step = OFFSET_STEP_MINUTES * millisecondsInMinute
  const phase = (rollupAtMinute % OFFSET_STEP_MINUTES) * millisecondsInMinute
  return step - ((((now - phase) % step) + step) % step)
}
