import { formatDay } from '../../base/time.ts'
import type { ReportName } from './report-writer.ts'

/** The file formats of reports, besides the JSON of the interface. */
export const EXPORT_FORMATS = {
  csv: { mediaType: 'text/csv', contentType: 'text/csv; charset=utf-8' },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    contentType: 'application/vnd.apache.parquet',
  },
} as const

export type ExportFormat = keyof typeof EXPORT_FORMATS

/** Returns a name such as `cooler-daily-20260601.csv` or `cooler-summary-20260601-20260607.xlsx`, from epoch days. */
export function fileName(
  name: ReportName | 'fleet',
  { fromDay, toDay }: { fromDay: number; toDay: number },
  format: ExportFormat,
): string {
  const days = name === 'daily' || (name === 'fleet' && fromDay === toDay) ? [fromDay] : [fromDay, toDay]
  return `cooler-${[name, ...days.map(formatDay)].join('-')}.${format}`
}
