import type { ExceptionLimits, ExceptionName } from '../base/exceptions.ts'
import { type Figures, finalise } from '../rollup/figures/figures.ts'
import type { LocalDay } from '../rollup/local-day.ts'
import { type DeviceDay, emptyDeviceDay, isOpen } from '../store/device-day.ts'
import { addDay, newTotals } from '../store/totals.ts'
import type { DayStatus } from './day-status.ts'
import { exceptionsOf } from './exceptions.ts'

/** What is stored of a device-day, as figures and more. */
export interface DescribedDay extends Figures {
  /** Epoch day. */
  day: number
  status: DayStatus
  hoursOff: number
  /** Hours of the day so far with an unknown power state; null if `status` is `none`. */
  hoursUnknown: number | null
  /** Instant of the last event up to the end of the day, or to its rollup, epoch ms; null before the first. */
  lastHeardAt: number | null
  exceptions: ExceptionName[]
}

/** What is known of a day without a rollup. Instants are epoch ms. */
export interface AbsentDay {
  /** Null for a date that the device's zones skip. */
  local: LocalDay | null
  /** Last rollup of the device's shard. */
  rolledUpAt: number | null
  firstHeardAt: number | null
  /** Instant of the last event before the end of the day. */
  lastHeardAt: number | null
  now: number
}

/** Describes a stored day. */
export function describeDay(day: number, rollup: DeviceDay, isRevised: boolean, limits: ExceptionLimits): DescribedDay {
  const totals = newTotals(1)
  addDay(totals, 0, rollup)
  const { offMs, onMs, passedMs, lastHeardAt } = rollup
  return {
    day,
    status: isOpen(rollup) ? 'provisional' : isRevised ? 'revised' : 'settled',
    ...finalise(totals, 0),
    hoursOff: hoursOf(offMs),
    hoursUnknown: hoursOf(passedMs - onMs - offMs),
    lastHeardAt: lastHeardAt === 0 ? null : lastHeardAt,
    exceptions: exceptionsOf(rollup, limits),
  }
}

/** Describes a day without a rollup. */
export function describeAbsentDay(
  day: number,
  absent: AbsentDay,
  isRevised: boolean,
  limits: ExceptionLimits,
): DescribedDay {
  const silence = silentDay(absent)
  if (silence === null) return { ...EMPTY, day, lastHeardAt: absent.lastHeardAt, exceptions: [] }
  const described = describeDay(day, silence, isRevised, limits)
  if (isKnown(absent)) return described
  return { ...EMPTY, day, exceptions: described.exceptions }
}

/**
 * Returns the rollup that a day without one stands for: one of silence, as far as it had passed at the last rollup.
 * Returns null if none of it had. Nothing was rolled up before the first event, so such days pass by the clock.
 */
export function silentDay(absent: AbsentDay): DeviceDay | null {
  const { local, rolledUpAt, lastHeardAt, now } = absent
  if (local === null) return null
  const { start, end, closesAt } = local
  const asOf = (isKnown(absent) ? rolledUpAt : now) ?? start
  if (asOf <= start) return null
  return {
    ...emptyDeviceDay(),
    startAt: start,
    lengthMs: end - start,
    passedMs: Math.min(asOf, end) - start,
    closesAfterMs: asOf < closesAt ? Math.max(1, closesAt - end) : 0,
    lastHeardAt: lastHeardAt ?? 0,
  }
}

/** Tells whether a day ends after the first event, so that its silence is known. */
export const isKnown = ({ local, firstHeardAt }: AbsentDay): boolean =>
  local !== null && firstHeardAt !== null && firstHeardAt < local.end

const EMPTY = {
  status: 'none',
  ...finalise(newTotals(1), 0),
  hoursOff: 0,
  hoursUnknown: null,
  lastHeardAt: null,
} as const

/** Returns hours as the figures have them, rounded to 4 decimals. */
export const hoursOf = (ms: number): number => Math.round(ms / 360) / 10_000
