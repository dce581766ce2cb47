import { formatDay } from '../base/time.ts'
import type { DailyEntry, SummaryEntry } from './report.ts'

/** Returns the whole answer of operation 1 (INTERFACE.md 4.1) as JSON text. */
export const dailyJson = (day: number, entries: readonly DailyEntry[]): string =>
  envelope({ day: formatDay(day), deviceCount: entries.length, deviceStatusList: entries })

/** Returns the whole answer of operation 2 (INTERFACE.md 4.2) as JSON text. */
export const summaryJson = (entries: readonly SummaryEntry[]): string =>
  envelope({ deviceCount: entries.length, deviceStatusList: entries })

const envelope = (data: unknown): string => JSON.stringify({ status: 200, message: 'OK', data })
