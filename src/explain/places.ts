import { formatInstant } from '../base/time.ts'
import type { Explanation } from './explanation.ts'
import type { FoundDay } from './find-day.ts'

/** Returns the items in force during a day. Each holds until the next one; the first also holds before its `from`. */
function within<Item extends { from: number }>(items: readonly Item[], { start, end }: FoundDay): Item[] {
  return items.flatMap((item, index) => {
    const from = index === 0 ? start : Math.max(item.from, start)
    const to = Math.min(items[index + 1]?.from ?? Infinity, end)
    return from < to ? [{ ...item, from }] : []
  })
}

/** Returns the zones of a day, with the instant from which each holds. */
export function zonesWithin(day: FoundDay): Explanation['zones'] {
  const zones = within(day.zones, day)
  return zones
    .filter(({ zone }, index) => zone !== zones[index - 1]?.zone)
    .map(({ zone, from }) => ({ zone, from: formatInstant(from) }))
}

/** Returns where the device is meant to stand during a day, with the instant from which each place holds. */
export function placesWithin(day: FoundDay): Explanation['places'] {
  const { placements, state, start } = day
  const first = state?.firstFix
  if (placements.length === 0 && first) return [placeBody({ ...first, from: start }, 'first-fix')]
  const places = within(
    placements.map(({ at, lat, lon }) => ({ from: at, lat, lon })),
    day,
  )
  return places.map((place) => placeBody(place, 'placement'))
}

const placeBody = ({ lat, lon, from }: { lat: number; lon: number; from: number }, by: 'placement' | 'first-fix') => ({
  lat: lat / 1e7,
  lon: lon / 1e7,
  by,
  from: formatInstant(from),
})
