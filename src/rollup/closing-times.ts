import { millisecondsInMinute } from '../base/time.ts'

/** Zones are ahead of UTC by a multiple of this. */
const OFFSET_STEP_MINUTES = 15

/**
 * Days close at `COOLER_ROLLUP_AT` of their own zone. Seen in UTC that may be at four minutes of every hour, and whatever
 * has closed by then is known from the store; so it does no harm that on some nights a clock reads that time twice or
 * never.
 */
export const closingMinutes = (rollupAtMinute: number): number[] =>
  Array.from(
    { length: 60 / OFFSET_STEP_MINUTES },
    (_, step) => (rollupAtMinute % OFFSET_STEP_MINUTES) + step * OFFSET_STEP_MINUTES,
  )

/** The last instant up to this one (epoch ms) at which days of some zone may have closed. */
export const lastClosing = (instant: number, rollupAtMinute: number): number =>
  instant + untilNextClosing(instant, rollupAtMinute) - OFFSET_STEP_MINUTES * millisecondsInMinute

/** Milliseconds from an instant (epoch ms) to the next one at which days of some zone may close; above 0. */
export function untilNextClosing(now: number, rollupAtMinute: number): number {
  const step = OFFSET_STEP_MINUTES * millisecondsInMinute
  const phase = (rollupAtMinute % OFFSET_STEP_MINUTES) * millisecondsInMinute
  return step - ((((now - phase) % step) + step) % step)
}
