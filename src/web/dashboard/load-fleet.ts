import type { DailyEntry, SummaryEntry } from './answers.ts'
import { call, DAILY, SUMMARY } from './api.ts'
import { dayNumber } from './days.ts'
import { Entries } from './fleet.ts'
import { readEntries } from './read-entries.ts'

export interface Loading {
  signal: AbortSignal
  /** Called as entries arrive, with the fleet so far and the number of entries to expect. */
  onPart: (fleet: Entries, expected: number) => void
}

/** Loads the daily report of the whole fleet. */
export const loadDay = (day: number, loading: Loading) => load(DAILY, { day: dayNumber(day) }, loading)

/** Loads the summary of one day of the whole fleet, which contains the position of each cooler as well. */
export const loadPositions = (day: number, loading: Loading) =>
  load(SUMMARY, { startDay: dayNumber(day), endDay: dayNumber(day) }, loading)

async function load(path: string, body: unknown, { signal, onPart }: Loading): Promise<Entries> {
  const response = await call(path, { body, signal })
  const fleet = new Entries()
  if (response.body === null) return fleet
  for await (const { entries, deviceCount } of readEntries<DailyEntry | SummaryEntry>(response.body)) {
    fleet.add(entries, deviceCount)
    onPart(fleet, deviceCount)
  }
  return fleet
}
