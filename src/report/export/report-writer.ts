import { formatWallClock, millisecondsInDay } from '../../base/time.ts'
import type { DailyEntry, SummaryEntry } from '../report.ts'
import type { ExportColumn } from './columns.ts'

export type ReportName = 'daily' | 'summary'

/** An entry of either report; only entries of the summary have the current fields. */
export type ExportEntry = DailyEntry & Partial<SummaryEntry>

/** Writes one report as one file, from beginning to end, and never holds more than a few pieces of it. */
export interface ReportWriter<Entry = ExportEntry> {
  add(entries: readonly Entry[]): void
  /** Ends the file, after the last entry. */
  end(): void
  /** Returns what was written since the last call; may be empty if more is gathered first. */
  take(): Uint8Array
}

/** A property of the report that a file states in addition to its rows. */
export interface Parameter {
  name: string
  /** A day is given as `{ epochDay }`, a list as its texts. */
  value: string | number | { epochDay: number } | readonly string[]
  meaning: string
}

/** What a writer needs before the first entry. */
export interface ReportHead<Entry = ExportEntry> {
  columns: readonly ExportColumn<Entry>[]
  /** Epoch days, both included; equal for the daily report. */
  fromDay: number
  toDay: number
  deviceCount: number
  parameters: readonly Parameter[]
}

/** Returns the pieces joined; a single piece is returned as it is, without a copy. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const piece of pieces) {
    bytes.set(piece, end)
    end += piece.length
  }
  return bytes
}

/** Returns an epoch day as `YYYY-MM-DD`. */
export const isoDay = (epochDay: number): string =>
  formatWallClock(epochDay * millisecondsInDay).slice(0, 'YYYY-MM-DD'.length)
