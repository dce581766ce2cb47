import { millisecondsInDay, millisecondsInHour, millisecondsInMinute, parseDay } from '../base/time.ts'
import { zoneOf } from '../base/zone.ts'

/** Length of a slot, the step of the simulation. Coolers report once in each slot. */
export const SLOT_MINUTES = 15
export const SLOT_MS = SLOT_MINUTES * millisecondsInMinute
export const SLOTS_A_DAY = millisecondsInDay / SLOT_MS

/** One quarter of an hour in one zone. */
export interface Slot {
  /** Counts up through the simulation. */
  number: number
  /** Epoch ms. */
  start: number
  /** Milliseconds that the zone's clock is ahead of UTC. */
  offset: number
  /** Minute of the local day at the start, from 0. */
  minuteOfDay: number
  hour: number
  sunday: boolean
}

/** Returns a slot as the clocks of a zone read it. */
export function slotIn(zone: string, number: number, start: number): Slot {
  const offset = zoneOf(zone).offsetAt(start)
  const wallMs = start + offset
  const minuteOfDay = Math.floor((wallMs % millisecondsInDay) / millisecondsInMinute)
  const hour = Math.floor(minuteOfDay / (millisecondsInHour / millisecondsInMinute))
  return { number, start, offset, minuteOfDay, hour, sunday: Math.floor(wallMs / millisecondsInDay) % 7 === 3 }
}

/** Returns the span (epoch ms, half-open) of `days` local days from YYYYMMDD on. Throws RangeError on a bad day. */
export function spanOf(zone: string, startDay: number, days: number): { start: number; end: number } {
  const first = parseDay(startDay)
  if (first === null || startDay < 20000102 || startDay > 21001231) {
    throw new RangeError(`startDay: expected a day YYYYMMDD from 20000102 to 21001231, got ${startDay}`)
  }
  return { start: zoneOf(zone).startOfDay(first), end: zoneOf(zone).startOfDay(first + days) }
}
