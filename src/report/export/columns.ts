import { CURRENT_COLUMNS } from './current-columns.ts'
import { FIGURE_COLUMNS } from './figure-columns.ts'
import type { ExportEntry, ReportHead, ReportName } from './report-writer.ts'

/**
 * What the cells of a column hold: `day` an epoch day, `count` an integer, `flag` 0 or 1, `decimal` a number with at
 * most `places` digits after the point.
 */
export type CellKind = 'text' | 'day' | 'count' | 'flag' | 'decimal'

/** Describes a column of a file. All formats have the same columns. */
export interface ExportColumn<Entry = ExportEntry> {
  /** As the interface spells the field. */
  name: string
  kind: CellKind
  /** Most digits after the point; set for a `decimal`. */
  places?: number
  /** Whether a cell is never empty. */
  required: boolean
  /** The width of the column in a spreadsheet, in characters. */
  width: number
  meaning: string
  unit: string
  /** When its cells are empty. */
  empty: string
  value: (entry: Entry, head: Pick<ReportHead, 'fromDay' | 'toDay'>) => string | number | null
}

const NEVER = 'never'
const DATE = { kind: 'day', required: true, width: 12, unit: 'local day of each device', empty: NEVER } as const

const DAY: ExportColumn = {
  ...DATE,
  name: 'day',
  meaning: 'the day reported: from the first instant of that date in the time zone of the device to that of the next',
  value: (_entry, { fromDay }) => fromDay,
}

const START_DAY: ExportColumn = {
  ...DATE,
  name: 'startDay',
  meaning: 'the first day of the range',
  value: (_entry, { fromDay }) => fromDay,
}

const END_DAY: ExportColumn = {
  ...DATE,
  name: 'endDay',
  meaning: 'the last day of the range; both end days count',
  value: (_entry, { toDay }) => toDay,
}

const ASSERT_ID: ExportColumn = {
  name: 'assertId',
  kind: 'text',
  required: true,
  width: 24,
  meaning: 'the identifier of the device, in ascending order; spelled so by the interface',
  unit: 'text',
  empty: NEVER,
  value: ({ assertId }) => assertId,
}

/** The columns of a report, in their order. */
export const COLUMNS: Record<ReportName, readonly ExportColumn[]> = {
  daily: [DAY, ASSERT_ID, ...FIGURE_COLUMNS],
  summary: [START_DAY, END_DAY, ASSERT_ID, ...FIGURE_COLUMNS, ...CURRENT_COLUMNS],
}
