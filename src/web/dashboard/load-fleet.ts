import type { DailyEntry, SummaryEntry } from './answers.ts'
import { call, DAILY, SUMMARY } from './api.ts'
import { dayNumber } from './days.ts'
import { Fleet } from './fleet.ts'
import { readEntries } from './read-entries.ts'

export interface Loading {
  signal: AbortSignal
  /** Called as entries come in: with those there are so far, and how many there will be. */
  onPart: (fleet: Fleet, expected: number) => void
}

/** The daily report of the whole fleet. */
export const loadDay = (day: number, loading: Loading): Promise<Fleet> => load(DAILY, { day: dayNumber(day) }, loading)

/** The summary of one day of the whole fleet, which tells where each cooler is, too. */
export const loadPositions = (day: number, loading: Loading): Promise<Fleet> =>
  load(SUMMARY, { startDay: dayNumber(day), endDay: dayNumber(day) }, loading)

async function load(path: string, body: unknown, { signal, onPart }: Loading): Promise<Fleet> {
  const response = await call(path, { body, signal })
  const fleet = new Fleet()
  if (response.body === null) return fleet
  for await (const { entries, deviceCount } of readEntries<DailyEntry | SummaryEntry>(response.body)) {
    fleet.add(entries, deviceCount)
    onPart(fleet, deviceCount)
  }
  return fleet
}
