import { millisecondsInDay } from '../base/time.ts'
import { type CalendarSettings, Calendars } from '../rollup/local-day.ts'

/** A span of instants, for daysClosing. */
export interface ClosingSpan {
  /** Epoch ms, excluded. */
  after: number
  /** Epoch ms, included. */
  upTo: number
}

/** Returns the days (epoch days) that close in a span in any of these zones. */
export function daysClosing(
  zones: readonly string[],
  { after, upTo }: ClosingSpan,
  settings: CalendarSettings,
): Set<number> {
  const days = new Set<number>()
  if (upTo <= after) return days
  const calendars = new Calendars(settings)
  for (const zone of zones) {
    const calendar = calendars.of([{ from: 0, zone }])
    // A day closes within a day of its end.
    let day = calendar.dayAt(calendar.dayAt(after).start - 1)
    for (; day.end <= upTo; day = calendar.dayAt(day.end))
      if (day.closesAt > after && day.closesAt <= upTo) days.add(day.day)
  }
  return days
}

/** Returns the days (epoch days) that have begun and are not closed at an instant (epoch ms) in any of these zones. */
export function daysOpen(zones: readonly string[], at: number, settings: CalendarSettings): Set<number> {
  const days = new Set<number>()
  const calendars = new Calendars(settings)
  for (const zone of zones) {
    const calendar = calendars.of([{ from: 0, zone }])
    const today = calendar.dayAt(at)
    days.add(today.day)
    const before = calendar.dayAt(today.start - 1)
    if (before.closesAt > at) days.add(before.day)
  }
  return days
}

/** Returns when (epoch ms) a day closes in the first and in the last of these zones. */
export function closingsOf(
  zones: readonly string[],
  day: number,
  settings: CalendarSettings,
): { first: number; last: number } {
  const calendars = new Calendars(settings)
  let [first, last] = [Infinity, -Infinity]
  for (const zone of zones) {
    const calendar = calendars.of([{ from: 0, zone }])
    let local = calendar.dayAt((day - 2) * millisecondsInDay)
    while (local.day < day) local = calendar.dayAt(local.end)
    first = Math.min(first, local.closesAt)
    last = Math.max(last, local.closesAt)
  }
  return { first, last }
}
