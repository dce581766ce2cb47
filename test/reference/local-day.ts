import { addDays, utcMidnight } from './calendar-date.ts'
import { DAY_MS } from './durations.ts'
import { firstInstantOf, wallClock } from './wall-clock.ts'

/** Where a placement names no zone, the default zone is in force. */
export interface ZonePlacement {
  at: number
  timezone: string | null
}

/** The half-open span [start, end) of instants in epoch milliseconds. */
export interface Window {
  start: number
  end: number
}

/** `day` is its date, YYYYMMDD. */
export type LocalDay = Window & { day: number }

/** A zone and how long it is in force. */
export type Stay = Window & { zone: string }

/** Days since the last change of zone after which no day under way can have a label of the zone before. */
const STEADY_MS = 6 * DAY_MS

/**
 * The zones of a device over all time (RULES.md section 1): from each placement on its zone, before the first that of
 * the first. `placements` are in the order of events; of several at one instant the last is in force from it on.
 */
export function staysOf(placements: readonly ZonePlacement[], defaultZone: string): Stay[] {
  const ordered = placements.toSorted((a, b) => a.at - b.at)
  const zones = ordered.map((placement) => placement.timezone ?? defaultZone)
  const stays: Stay[] = [{ zone: zones[0] ?? defaultZone, start: -Infinity, end: ordered[0]?.at ?? Infinity }]
  ordered.forEach((placement, i) => {
    const [zone, last] = [zones[i] as string, stays.at(-1) as Stay]
    const end = ordered[i + 1]?.at ?? Infinity
    if (zone === last.zone) last.end = end
    else if (placement.at < end) stays.push({ zone, start: placement.at, end })
  })
  return stays
}

type Beginning = { day: number; start: number }

/**
 * The first boundary after `current`: a first instant of a later date in a zone that is in force at or up to it. Where
 * two zones begin a date at the instant at which one follows the other, the later date.
 */
function nextBoundary(stays: readonly Stay[], current: Beginning): Beginning {
  let found: Beginning | null = null
  for (const stay of stays) {
    if (found !== null && stay.start > found.start) break
    const boundary = firstBoundaryOf(stay, current)
    if (boundary === null) continue
    if (found === null || (boundary.start === found.start && boundary.day > found.day)) found = boundary
  }
  if (found === null) throw new Error('the last stay never ends')
  return found
}

function firstBoundaryOf(stay: Stay, current: Beginning): Beginning | null {
  for (let day = addDays(current.day, 1); ; day = addDays(day, 1)) {
    const start = firstInstantOf(stay.zone, day)
    if (start === null) continue
    if (start > stay.end) return null
    if (start >= stay.start && start > current.start) return { day, start }
  }
}

/**
 * A day that begins at or before the instant, and certainly so: in a zone that has been in force for some days, every
 * first instant of a date is a boundary, since the label of a day is never later than the date somewhere on Earth.
 */
function certainDay(stays: readonly Stay[], instantMs: number): Beginning {
  let instant = instantMs
  let stay: Stay
  for (;;) {
    const at = instant
    stay = stays.find(({ start, end }) => at >= start && at < end) as Stay
    if (instant - stay.start >= STEADY_MS) break
    instant = stay.start - 1
  }
  for (let day = addDays(wallClock(stay.zone, instant).date, 1); ; day = addDays(day, -1)) {
    const start = firstInstantOf(stay.zone, day)
    if (start !== null && start <= instant) return { day, start }
  }
}

/** The days of a device in turn, from one that begins at or before the instant. */
function* daysFrom(stays: readonly Stay[], instantMs: number): Generator<LocalDay, never> {
  let current = certainDay(stays, instantMs)
  for (;;) {
    const next = nextBoundary(stays, current)
    yield { ...current, end: next.start }
    current = next
  }
}

/** The local day (RULES.md section 1) of a device that an instant belongs to. Days tile time. */
export function dayContaining(placements: readonly ZonePlacement[], defaultZone: string, instantMs: number): LocalDay {
  const days = daysFrom(staysOf(placements, defaultZone), instantMs)
  for (;;) {
    const { value: day } = days.next()
    if (instantMs < day.end) return day
  }
}

/** The span of a local day (RULES.md section 1), or null where the date never begins for this device. */
export function windowOfDay(placements: readonly ZonePlacement[], defaultZone: string, date: number): Window | null {
  const days = daysFrom(staysOf(placements, defaultZone), utcMidnight(date) - 3 * DAY_MS)
  for (;;) {
    const { value: day } = days.next()
    if (day.day > date) return null
    if (day.day === date) return { start: day.start, end: day.end }
  }
}
