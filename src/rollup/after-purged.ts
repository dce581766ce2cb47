import { LONGEST_DAY_MS } from '../store/archive.ts'
import type { CursorContext } from './cursor-context.ts'
import { type Calendar, FURTHEST_DATES, type LocalDay } from './local-day.ts'
import type { StoredDay } from './stored-rollups.ts'

/** The calendar of a device, and the instant (epoch ms) before which raw events are deleted; 0 if none are. */
export type Kept = Pick<CursorContext, 'calendar' | 'purgedBefore'>

/** Returns the day that holds an instant or, if some of its raw events were deleted, the first complete day after it. */
export function firstWholeDay({ calendar, purgedBefore }: Kept, instant: number): LocalDay {
  let day = calendar.dayAt(Math.max(instant, purgedBefore))
  while (day.start < purgedBefore) day = calendar.dayAt(day.end)
  return day
}

/**
 * Returns the first day, this one or later, that lies after every day whose raw events were deleted, both by instant and
 * by date. Those days stay stored, and moving the device to another zone may since have given its days other bounds and
 * dates. Returns undefined while `previous`, which returns the last stored day before a date, has yet to load something.
 */
export function firstAfterKept(
  { calendar, purgedBefore }: Kept,
  first: LocalDay,
  previous: (day: number) => StoredDay | null | undefined,
): LocalDay | undefined {
  if (first.start >= purgedBefore + LONGEST_DAY_MS) return first
  let kept = previous(first.day + FURTHEST_DATES)
  while (kept && kept.rollup.startAt >= purgedBefore) kept = previous(kept.day)
  if (kept === undefined) return undefined
  return kept === null ? first : dayAfter(kept, first, calendar)
}

function dayAfter({ day, rollup }: StoredDay, first: LocalDay, calendar: Calendar): LocalDay {
  let next = first
  while (next.start < rollup.startAt + rollup.lengthMs || next.day <= day) next = calendar.dayAt(next.end)
  return next
}

/**
 * Returns the hours between the last day whose raw events were deleted and the first day that is computed, as if they
 * were a day; null if there are none. They exist if the bounds of the device's days have changed since. Events in them
 * count in no figure, but the state that they leave (an open door, the last position) is carried into the day after.
 *
 * @param before the last stored day that ends by the start of the day
 */
export function gapBefore({ calendar, purgedBefore }: Kept, day: LocalDay, before: StoredDay | null): LocalDay | null {
  const from = Math.max(purgedBefore, before === null ? 0 : before.rollup.startAt + before.rollup.lengthMs)
  if (purgedBefore === 0 || from >= day.start) return null
  const previous = calendar.dayAt(day.start - 1)
  if (previous.start >= from && previous.day > (before?.day ?? -Infinity)) return null
  return { day: day.day - 1, start: from, end: day.start, daytimeStart: from, daytimeEnd: from, closesAt: day.start }
}

/**
 * Tells whether a gap may lie before a stored day that starts at an instant (epoch ms). A gap begins at the bound, or
 * less than LONGEST_DAY_MS later, where the last kept day ends. It ends with the first whole day of a later date, at most
 * FURTHEST_DATES dates on.
 */
export const mayFollowGap = (startAt: number, purgedBefore: number): boolean =>
  startAt > purgedBefore && startAt < purgedBefore + 3 * LONGEST_DAY_MS
