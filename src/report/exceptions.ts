import { EXCEPTION_NAMES, type ExceptionLimits, type ExceptionName } from '../base/exceptions.ts'
import { millisecondsInHour } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import type { DeviceDay } from '../store/device-day.ts'

/** The exceptions of a day before anything was heard of the device. */
export const NEVER_HEARD: readonly ExceptionName[] = ['silent', 'no-power-data']

/** Returns the exceptions of a device-day, in their order. Compares unrounded values. */
export function exceptionsOf(day: DeviceDay, limits: ExceptionLimits): ExceptionName[] {
  const holds: Record<ExceptionName, boolean> = {
    moved: isAbove(day.distanceSumMm, day.distanceCount, limits.movedMetres ?? FLAGGED_MM / 1000),
    off: day.offMs > limits.offHours * millisecondsInHour,
    warm: isWarm(day, limits),
    silent: isSilent(day, limits),
    'no-power-data': day.onMs + day.offMs === 0,
  }
  return EXCEPTION_NAMES.filter((name) => holds[name])
}

function isWarm(day: DeviceDay, { warmAboveSet, warmAbove }: ExceptionLimits): boolean {
  const { celsiusSum, celsiusCount, setpointSum, setpointCount } = day
  if (setpointCount === 0) return isAbove(celsiusSum, celsiusCount, warmAbove)
  // The difference of two means, over one denominator.
  const difference = BigInt(celsiusSum) * BigInt(setpointCount) - BigInt(setpointSum) * BigInt(celsiusCount)
  return isAbove(difference, BigInt(celsiusCount) * BigInt(setpointCount), warmAboveSet)
}

function isSilent({ startAt, passedMs, lastHeardAt }: DeviceDay, { silentHours }: ExceptionLimits): boolean {
  return lastHeardAt === 0 || startAt + passedMs - lastHeardAt > silentHours * millisecondsInHour
}

/** Tells whether the mean of integers in thousandths is above a limit in whole units; not without any. */
function isAbove(sum: number | bigint, count: number | bigint, limit: number): boolean {
  return BigInt(sum) * LIMIT_SCALE > BigInt(Math.round(limit * Number(LIMIT_SCALE) * 1000)) * BigInt(count)
}

/** Limits are compared to a millionth of a thousandth. */
const LIMIT_SCALE = 1_000_000n
