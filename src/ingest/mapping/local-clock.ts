import { millisecondsInHour, millisecondsInMinute } from '../../base/time.ts'
import { zoneName, zoneOf } from '../../base/zone.ts'

/** The clock change that causes a repeated hour comes at most this long after an instant of its first pass. */
const LONGEST_REPEAT_MS = 26 * millisecondsInHour
/** The end of the year 9999. */
const LATEST_WALL_MS = 253_402_300_800_000
const OFFSET = /^([+-])([01]\d|2[0-3]):?([0-5]\d)?$/

/** Tells whether a value names a zone whose clock can be read: an IANA name, or a fixed offset such as `+01:00`. */
export const isClockZone = (zone: unknown): zone is string =>
  zoneName(zone) !== null || (typeof zone === 'string' && OFFSET.test(zone))

/**
 * Returns the instants, ascending, at which a clock of the zone reads `wallMs` (milliseconds since 1970-01-01T00:00 of
 * that clock): usually one, two in a repeated hour, none in a skipped hour.
 */
export function instantsAt(zone: string, wallMs: number): number[] {
  const fixed = OFFSET.exec(zone)
  if (fixed !== null) return [wallMs - offsetMs(fixed)]
  if (!(Math.abs(wallMs) <= LATEST_WALL_MS)) return []
  const clock = zoneOf(zone)
  const first = clock.firstInstantAt(wallMs)
  if (first + clock.offsetAt(first) !== wallMs) return []
  const second = wallMs - clock.offsetAt(first + LONGEST_REPEAT_MS)
  return second > first && second + clock.offsetAt(second) === wallMs ? [first, second] : [first]
}

function offsetMs([, sign, hours, minutes = '0']: RegExpExecArray): number {
  const east = Number(hours) * millisecondsInHour + Number(minutes) * millisecondsInMinute
  return sign === '-' ? -east : east
}

/** How times in a repeated hour are resolved: by the order of a device's times, or always to one of the two passes. */
export type Repeated = 'in-order' | 'first' | 'second'

interface DeviceClock {
  /** The device's previous time, in milliseconds of the clock. */
  wallMs: number
  /** Length of the repeated hour that this time is in; 0 outside a repeated hour. */
  repeatMs: number
  isSecondPass: boolean
  /** Whether the device's times were descending before this repeated hour: the file has the newest first. */
  isDescending: boolean
}

/**
 * Resolves local times to instants, for each device in the order in which its times are given. In a repeated hour the
 * first time that is earlier than its predecessor begins the second pass. If the times descend, the first time that is
 * later than its predecessor begins the first pass.
 */
export class LocalClocks {
  readonly #devices = new Map<unknown, DeviceClock>()

  /** Returns the instant, or null if the clock never reads this. */
  resolve(device: unknown, zone: string, wallMs: number, repeated: Repeated): number | null {
    const [first, second = first] = instantsAt(zone, wallMs)
    if (first === undefined) return null
    if (repeated === 'first') return first
    if (repeated === 'second') return second
    return this.#isSecondPass(device, wallMs, second - first) ? second : first
  }

  #isSecondPass(device: unknown, wallMs: number, repeatMs: number): boolean {
    const last = this.#devices.get(device)
    if (last === undefined) {
      this.#devices.set(device, { wallMs, repeatMs, isSecondPass: false, isDescending: false })
      return false
    }
    const isEarlier = wallMs < last.wallMs
    const isSameHour = repeatMs > 0 && last.repeatMs > 0 && Math.abs(wallMs - last.wallMs) < repeatMs
    if (!isSameHour) {
      last.isSecondPass = isEarlier
      // Times that come from before the hour are ascending, regardless of the times before.
      last.isDescending &&= isEarlier
    } else if (last.isDescending) last.isSecondPass &&= wallMs <= last.wallMs
    else last.isSecondPass ||= isEarlier
    if (repeatMs === 0 && wallMs !== last.wallMs) last.isDescending = isEarlier
    last.wallMs = wallMs
    last.repeatMs = repeatMs
    return last.isSecondPass
  }
}
