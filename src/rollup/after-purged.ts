import { LONGEST_DAY_MS } from '../store/raw-store.ts'
import type { CursorContext } from './cursor-context.ts'
import { type Calendar, FURTHEST_DATES, type LocalDay } from './local-day.ts'
import type { StoredDay } from './stored-rollups.ts'

/** The calendar of a device, and the instant (epoch ms) before which raw events are gone; 0 where all are there. */
export type Kept = Pick<CursorContext, 'calendar' | 'purgedBefore'>

/** The day that holds an instant, or the first one after it of which all raw events are there. */
export function firstWholeDay({ calendar, purgedBefore }: Kept, instant: number): LocalDay {
  let day = calendar.dayAt(Math.max(instant, purgedBefore))
  while (day.start < purgedBefore) day = calendar.dayAt(day.end)
  return day
}

/**
 * Days whose raw events are gone stay, though a device that was moved may have days of other bounds and dates by now.
 * Returns the first day, not before this one, that lies after all of them, by instant and by date; undefined where
 * `previous`, which gives the last stored day before a date, has yet to load something.
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
 * Between the last day whose raw events are gone and the first one that is computed may lie some hours of no day at
 * all, since days have other bounds by now. Their events count in no figure, but what they leave behind is carried into
 * the day after them. Returns these hours as if they were a day; null where there are none.
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
