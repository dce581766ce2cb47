import { DAY_MS } from './durations.ts'

/** Dates of the calendar as the integers YYYYMMDD. */
export function dateOfUtc(instantMs: number): number {
  const date = new Date(instantMs)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}

export function utcMidnight(date: number): number {
  return Date.UTC(Math.floor(date / 10_000), (Math.floor(date / 100) % 100) - 1, date % 100)
}

export const addDays = (date: number, days: number): number => dateOfUtc(utcMidnight(date) + days * DAY_MS)

/** Both ends count. */
export function datesBetween(first: number, last: number): number[] {
  const dates: number[] = []
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date)
  return dates
}
