import { formatWallClock, millisecondsInDay } from '../../base/time.ts'
import type { DailyEntry, SummaryEntry } from '../report.ts'

export type ReportName = 'daily' | 'summary'

/** An entry of either report; what is current stands in those of the summary alone. */
export type ExportEntry = DailyEntry & Partial<SummaryEntry>

/** Writes one report as one file, from front to end, and never holds more of it than a few pieces. */
export interface ReportWriter {
  add(entries: readonly ExportEntry[]): void
  /** After the last entry. */
  end(): void
  /** What has been written since it was asked for last; may be nothing, where more is gathered first. */
  take(): Uint8Array
}

/** What a file says of itself, beside its rows. */
export interface Parameter {
  name: string
  /** A day is told by `{ epochDay }`, a list by its texts. */
  value: string | number | { epochDay: number } | readonly string[]
  meaning: string
}

/** What a writer is told before the first entry. */
export interface ReportHead {
  name: ReportName
  /** Epoch days, both counted; the same for the daily report. */
  fromDay: number
  toDay: number
  deviceCount: number
  parameters: readonly Parameter[]
}

/** Puts pieces together. */
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

/** `YYYY-MM-DD` of an epoch day. */
export const isoDay = (epochDay: number): string =>
  formatWallClock(epochDay * millisecondsInDay).slice(0, 'YYYY-MM-DD'.length)
