import { formatDay, millisecondsInDay, millisecondsInMinute } from '../base/time.ts'
import { type Zone, zoneOf } from '../base/zone.ts'
import type { ReportSubscription } from './subscription.ts'

/** When a report or a backup is due. */
export type Schedule = Pick<ReportSubscription, 'every' | 'at' | 'timezone'>

/** The days that a delivery is of: epoch days, both included; at most 31. */
export interface Period {
  fromDay: number
  toDay: number
}

export interface DuePeriod extends Period {
  /**
   * Epoch ms: the first instant at which the clock of the schedule's zone reads `at`, or later, on the day after the
   * period. A time that the clock skips is due when it goes on; of a time that it reads twice, the first counts.
   */
  dueAt: number
}

/** Returns the last period that is due at an instant (epoch ms). */
export function lastPeriod(schedule: Schedule, now: number): DuePeriod {
  const zone = zoneOf(schedule.timezone)
  let before = zone.dayAt(now) + 1
  for (;;) {
    const period = periodBefore(schedule.every, before)
    const dueAt = dueOf(schedule, zone, period)
    if (dueAt <= now) return { ...period, dueAt }
    before = period.toDay
  }
}

/** Returns the instant (epoch ms), after `now`, at which the next period is due. */
export function nextDue(schedule: Schedule, now: number): number {
  const { toDay } = lastPeriod(schedule, now)
  return dueOf(schedule, zoneOf(schedule.timezone), { fromDay: toDay + 1, toDay: lastDayOf(schedule.every, toDay + 1) })
}

function dueOf({ at }: Schedule, zone: Zone, { toDay }: Period): number {
  const [hours, minutes] = at.split(':').map(Number)
  return zone.firstInstantAt((toDay + 1) * millisecondsInDay + (hours * 60 + minutes) * millisecondsInMinute)
}

/** Returns the last whole period that ends before a day. */
function periodBefore(every: Schedule['every'], day: number): Period {
  const toDay = firstDayOf(every, day) - 1
  return { fromDay: firstDayOf(every, toDay), toDay }
}

const DAYS_IN_WEEK = 7
/** Epoch day 0 was a Thursday. */
const FIRST_MONDAY = 4

/** Returns the first day of the day, week or month that a day is in. */
function firstDayOf(every: Schedule['every'], day: number): number {
  if (every === 'day') return day
  if (every === 'week') return day - ((((day - FIRST_MONDAY) % DAYS_IN_WEEK) + DAYS_IN_WEEK) % DAYS_IN_WEEK)
  return day - (formatDay(day) % 100) + 1
}

/** Returns the last day of the day, week or month that begins on a day. */
function lastDayOf(every: Schedule['every'], firstDay: number): number {
  if (every === 'day') return firstDay
  if (every === 'week') return firstDay + DAYS_IN_WEEK - 1
  let last = firstDay + 27
  while (isSameMonth(last + 1, firstDay)) last++
  return last
}

const isSameMonth = (one: number, other: number): boolean =>
  Math.floor(formatDay(one) / 100) === Math.floor(formatDay(other) / 100)
