import { millisecondsInDay, millisecondsInMinute } from '../base/time.ts'
import type { LocalDay } from '../rollup/local-day.ts'
import { type DeviceDay, isOpen } from '../store/device-day.ts'

/** The instants (epoch ms) that bound when the stored days of a shard were rolled up. */
export interface RollupTimes {
  /** The shard's last rollup, -Infinity before its first. Days that close by then have closed. */
  last: number
  /** No stored day was rolled up as of a later instant. */
  latest: number
}

/** How to compute a day so that it can be compared with the stored one. Instants in epoch ms. */
export interface ComparableDay {
  /** Infinity for a day that has closed, because its rollup no longer depends on the instant. */
  asOf: number
  /** When the day closed or will close. */
  closesAt: number
}

/**
 * Returns how to compute a day so that it can be compared with the stored one. The store does not record when each day
 * was rolled up. For an open day we take the instant that its own `passedMs` implies, if that is possible. The power
 * time must then add up to that instant.
 */
export function comparableDay(stored: DeviceDay | null, day: LocalDay, { last, latest }: RollupTimes): ComparableDay {
  const { start, end, closesAt: closesBySettings } = day
  if (stored === null || stored.startAt !== start || stored.lengthMs !== end - start) {
    return { asOf: closesBySettings <= last ? Infinity : last, closesAt: closesBySettings }
  }
  const closesAt = mayCloseAfter(stored) ? end + stored.closesAfterMs : closesBySettings
  if (isOpen(stored) ? closesAt <= last : end <= latest) return { asOf: Infinity, closesAt }
  return { asOf: Math.min(latest, start + Math.floor(stored.passedMs)), closesAt }
}

/** Longest time from a day's end to its closing: in any zone, a time of day comes again within two days. */
const LATEST_CLOSING_MS = 2 * millisecondsInDay

/** Tells whether the stored closing time is possible. The setting may have changed since, as it is not in the rules. */
const mayCloseAfter = ({ closesAfterMs }: DeviceDay): boolean =>
  closesAfterMs >= 0 && closesAfterMs <= LATEST_CLOSING_MS && closesAfterMs % millisecondsInMinute === 0
