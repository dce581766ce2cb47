import { placementInForce } from './distance.ts'
import { fixesAmong, type KeptEvent } from './kept-event.ts'
import { plainDegrees } from './rounding.ts'
import { wallClock } from './wall-clock.ts'

/** The fields of a summary that are current, whatever the range (RULES.md section 4). */
export interface CurrentPosition {
  location: string | null
  address: string | null
  throwinDate: string | null
}

function localTimeText(zone: string, instantMs: number): string {
  const { date, hour, minute, second } = wallClock(zone, instantMs)
  const day = String(date).padStart(8, '0')
  const time = [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':')
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)} ${time}`
}

/** From the events of the device in their order; no geocoder is configured. Before its first placement none holds. */
export function currentPositionOf(
  ordered: readonly KeptEvent[],
  defaultTimezone: string,
  nowMs: number,
): CurrentPosition {
  const placement = placementInForce(ordered, nowMs)
  const fix = fixesAmong(ordered).at(-1) ?? null
  const place = fix ?? placement
  return {
    location: place === null ? null : `${plainDegrees(place.lat)},${plainDegrees(place.lon)}`,
    address: fix?.address ?? placement?.address ?? null,
    throwinDate: placement === null ? null : localTimeText(placement.timezone ?? defaultTimezone, placement.at),
  }
}
