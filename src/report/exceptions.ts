import { EXCEPTION_NAMES, type ExceptionLimits, type ExceptionName } from '../base/exceptions.ts'
import { millisecondsInHour } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import type { DeviceDay } from '../store/device-day.ts'

/** The statistics of a device-day that its exceptions come from. */
export const EXCEPTION_STATISTICS = [
  'startAt',
  'passedMs',
  'celsiusSum',
  'celsiusCount',
  'setpointSum',
  'setpointCount',
  'onMs',
  'offMs',
  'distanceSumMm',
  'distanceCount',
  'lastHeardAt',
] as const satisfies readonly (keyof DeviceDay)[]

type Statistics = Pick<DeviceDay, (typeof EXCEPTION_STATISTICS)[number]>

const TESTS: Readonly<Record<ExceptionName, (day: Statistics, limits: ExceptionLimits) => boolean>> = {
  moved: (day, { movedMetres = FLAGGED_MM / 1000 }) => isAbove(day.distanceSumMm, day.distanceCount, movedMetres),
  off: (day, { offHours }) => day.offMs > offHours * millisecondsInHour,
  warm: (day, limits) => isWarm(day, limits),
  silent: (day, limits) => isSilent(day, limits),
  'no-power-data': (day) => day.onMs + day.offMs === 0,
}

/** Returns the exceptions of a device-day, in their order. Compares unrounded values. */
export const exceptionsOf = (day: Statistics, limits: ExceptionLimits): ExceptionName[] =>
  EXCEPTION_NAMES.filter((name) => TESTS[name](day, limits))

const IN_ORDER = EXCEPTION_NAMES.map((name) => TESTS[name])

/** Returns the exceptions of a device-day as a set of bits: bit n is that of the n-th of EXCEPTION_NAMES. */
export function exceptionBits(day: Statistics, limits: ExceptionLimits): number {
  let bits = 0
  for (let nth = 0; nth < IN_ORDER.length; nth++) if (IN_ORDER[nth](day, limits)) bits |= 1 << nth
  return bits
}

function isWarm(day: Statistics, { warmAboveSet, warmAbove }: ExceptionLimits): boolean {
  const { celsiusSum, celsiusCount, setpointSum, setpointCount } = day
  if (setpointCount === 0) return isAbove(celsiusSum, celsiusCount, warmAbove)
  if (celsiusCount === 0) return false
  const excess = celsiusSum / celsiusCount - setpointSum / setpointCount - warmAboveSet * 1000
  if (Math.abs(excess) > UNSURE) return excess > 0
  // The difference of two means, over one denominator.
  const difference = BigInt(celsiusSum) * BigInt(setpointCount) - BigInt(setpointSum) * BigInt(celsiusCount)
  return isAbove(difference, BigInt(celsiusCount) * BigInt(setpointCount), warmAboveSet)
}

function isSilent({ startAt, passedMs, lastHeardAt }: Statistics, { silentHours }: ExceptionLimits): boolean {
  return lastHeardAt === 0 || startAt + passedMs - lastHeardAt > silentHours * millisecondsInHour
}

/** Tells whether the mean of integers in thousandths is above a limit in whole units; not without any. */
function isAbove(sum: number | bigint, count: number | bigint, limit: number): boolean {
  if (typeof sum === 'number') {
    const excess = sum - limit * 1000 * Number(count)
    if (Math.abs(excess) > UNSURE * Number(count)) return excess > 0
  }
  return BigInt(sum) * LIMIT_SCALE > BigInt(Math.round(limit * Number(LIMIT_SCALE) * 1000)) * BigInt(count)
}

/** Means in thousandths that lie closer to a limit than this are compared exactly, which takes longer. */
const UNSURE = 0.001

/** Limits are compared to a millionth of a thousandth. */
const LIMIT_SCALE = 1_000_000n
