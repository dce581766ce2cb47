import { EXCEPTION_NAMES, type ExceptionLimits, type ExceptionName } from '../base/exceptions.ts'
import { millisecondsInHour } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { Cause } from '../store/revision.ts'
import type { ExceptionItem } from './message.ts'
import type { ExceptionSubscription } from './subscription.ts'

/** The figure of an exception, its limit, and the first day on which the exception held. */
export type Detail = Pick<ExceptionItem, 'value' | 'limit' | 'unit' | 'since'>

/** The JSON body of a stored notice. */
export interface NoticeBody {
  /** Exceptions that hold now, as bits. */
  after: number
  status: ExceptionItem['status']
  timezone: string
  address: string | null
  causes: readonly Cause[]
  /** Figures of the exceptions that hold now, and of those that earlier messages reported. */
  details: Partial<Record<ExceptionName, Detail>>
}

/** Returns the bit of an exception; see exceptionBits. */
export const bitOf = (name: ExceptionName): number => 1 << EXCEPTION_NAMES.indexOf(name)

/** Returns the exceptions of bits, in their order. */
export const namesOf = (bits: number): ExceptionName[] => EXCEPTION_NAMES.filter((name) => bits & bitOf(name))

/** Returns the limits of a subscription: its own, and those of the settings where it has none. */
export function limitsOf({ exceptions }: ExceptionSubscription, settings: ExceptionLimits): ExceptionLimits {
  const { moved, off, warm, silent } = exceptions
  const movedMetres = moved?.metres ?? settings.movedMetres
  return {
    ...(movedMetres === undefined ? {} : { movedMetres }),
    offHours: off?.hours ?? settings.offHours,
    warmAboveSet: warm?.aboveSet ?? settings.warmAboveSet,
    warmAbove: warm?.above ?? settings.warmAbove,
    silentHours: silent?.hours ?? settings.silentHours,
  }
}

type Measured = Omit<Detail, 'since'>

const NOTHING: Measured = { value: null, limit: null, unit: null }

const MEASURES: Readonly<Record<ExceptionName, (day: DeviceDay, limits: ExceptionLimits) => Measured>> = {
  moved: ({ distanceSumMm, distanceCount }, { movedMetres = FLAGGED_MM / 1000 }) => ({
    value: distanceCount === 0 ? null : rounded(distanceSumMm / distanceCount / 1000),
    limit: movedMetres,
    unit: 'm',
  }),
  off: ({ offMs }, { offHours }) => ({ value: rounded(offMs / millisecondsInHour), limit: offHours, unit: 'h' }),
  warm: ({ celsiusSum, celsiusCount, setpointSum, setpointCount }, { warmAboveSet, warmAbove }) => ({
    value: celsiusCount === 0 ? null : rounded(celsiusSum / celsiusCount / 1000),
    limit: setpointCount === 0 ? warmAbove : rounded(setpointSum / setpointCount / 1000 + warmAboveSet),
    unit: '°C',
  }),
  silent: ({ startAt, passedMs, lastHeardAt }, { silentHours }) => ({
    value: lastHeardAt === 0 ? null : rounded((startAt + passedMs - lastHeardAt) / millisecondsInHour),
    limit: silentHours,
    unit: 'h',
  }),
  'no-power-data': () => NOTHING,
}

/** Returns the value that an exception compares with its limit, and the limit, both rounded to 4 decimals. */
export const measure = (name: ExceptionName, day: DeviceDay, limits: ExceptionLimits): Measured =>
  MEASURES[name](day, limits)

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
