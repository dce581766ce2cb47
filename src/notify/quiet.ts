import { millisecondsInDay, millisecondsInMinute } from '../base/time.ts'
import { zoneOf } from '../base/zone.ts'
import { type ExceptionSubscription, ZONE_OF_DEVICE } from './subscription.ts'

/** Tells whether an instant (epoch ms) lies within the quiet hours for a device in a zone. */
export function isQuiet({ quiet }: ExceptionSubscription, timezone: string, now: number): boolean {
  if (quiet === undefined) return false
  const zone = zoneOf(quiet.timezone === ZONE_OF_DEVICE ? timezone : quiet.timezone)
  const minute = Math.floor(
    ((((now + zone.offsetAt(now)) % millisecondsInDay) + millisecondsInDay) % millisecondsInDay) / millisecondsInMinute,
  )
  const [from, to] = [minuteOf(quiet.from), minuteOf(quiet.to)]
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
