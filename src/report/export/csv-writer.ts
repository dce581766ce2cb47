import { formatDay } from '../../base/time.ts'
import type { ExportColumn } from './columns.ts'
import { csvText } from './csv-text.ts'
import { type ExportEntry, joined, type ReportHead, type ReportWriter } from './report-writer.ts'

const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)
const LINE_END = '\r\n'

/**
 * Writes a report as CSV (RFC 4180) in UTF-8: a line of names, then a line for each device. Numbers are written as in
 * the JSON; null is an empty field. Text that a spreadsheet could take for a formula gets a leading apostrophe.
 */
export class CsvWriter<Entry = ExportEntry> implements ReportWriter<Entry> {
  readonly #head: ReportHead<Entry>
  readonly #columns: readonly ExportColumn<Entry>[]
  #pieces: Uint8Array[] = []

  /** @param withMark whether it begins with a byte order mark, by which older spreadsheets recognise UTF-8 */
  constructor(head: ReportHead<Entry>, withMark: boolean) {
    this.#head = head
    this.#columns = head.columns
    if (withMark) this.#pieces.push(BYTE_ORDER_MARK)
    this.#pieces.push(Buffer.from(this.#columns.map(({ name }) => name).join(',') + LINE_END))
  }

  add(entries: readonly Entry[]): void {
    const lines = entries.map((entry) => this.#columns.map((column) => field(column, column.value(entry, this.#head))))
    this.#pieces.push(Buffer.from(lines.map((fields) => fields.join(',') + LINE_END).join('')))
  }

  end(): void {
    // Nothing follows the last line.
  }

  take(): Uint8Array {
    const bytes = joined(this.#pieces)
    this.#pieces = []
    return bytes
  }
}

function field({ kind, places = 0 }: Pick<ExportColumn, 'kind' | 'places'>, value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'string') return csvText(value)
  if (kind === 'day') return String(formatDay(value))
  const text = String(value)
  // Only coordinates can be so small that they would be written with an exponent.
  return text.includes('e') ? value.toFixed(places) : text
}
