import { millisecondsInDay, millisecondsInMinute } from '../base/time.ts'
import type { LocalDay } from '../rollup/local-day.ts'
import type { DeviceDay } from '../store/device-day.ts'
import { isOpen } from '../store/rollup-store.ts'

/** Between which instants (epoch ms) what is stored of a shard may have been rolled up. */
export interface RollupTimes {
  /** The shard's last rollup, -Infinity before its first: what closes by then has closed. */
  last: number
  /** Nothing is stored as of a later instant than this. */
  latest: number
}

/** How a day is computed so that it is comparable to what is stored of it. Instants in epoch ms. */
export interface ComparableDay {
  /** Infinity for a day that has closed: whenever that was, it gives the same rollup. */
  asOf: number
  /** When the day closed or will close. */
  closesAt: number
}

/**
 * The instant as of which a stored day was rolled up. It is kept nowhere else than in the rollup itself, and days that
 * have not closed may be of different instants; so that of a day under way is taken from what is stored wherever it may
 * be true. Then the power time must be the one of that instant.
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

/** Clocks read a time of day again within two days, whatever zones do. */
const LATEST_CLOSING_MS = 2 * millisecondsInDay

/** When a day closes is a setting and none of the rules: the one in force when the day was rolled up may be another. */
const mayCloseAfter = ({ closesAfterMs }: DeviceDay): boolean =>
  closesAfterMs >= 0 && closesAfterMs <= LATEST_CLOSING_MS && closesAfterMs % millisecondsInMinute === 0
