import { badRow } from '../event/bad-row.ts'
import { eventsOfRecord, isExcluded } from '../ingest/mapping/apply-mapping.ts'
import { LocalClocks } from '../ingest/mapping/local-clock.ts'
import type { Mapping } from '../ingest/mapping/mapping.ts'
import type { CsvFile, CsvRow } from './csv-rows.ts'

/** A row of a file and its events. */
export interface ImportedRow {
  file: string
  line: number
  /** Events, good or bad. A row with more fields than columns becomes an event that is rejected as `bad-row`. */
  events: readonly unknown[]
  /** Whether `when` excludes the row from every entry of the mapping. */
  isExcluded: boolean
}

/** Yields the rows of the files in order, the same on every run. `receivedAt` is epoch ms. */
export async function* importRows(
  files: readonly CsvFile[],
  mapping: Mapping,
  receivedAt: number,
): AsyncGenerator<ImportedRow> {
  const clocks = new LocalClocks()
  let number = 0
  for (const { name: file, columns, places, rows } of files) {
    for await (const { cells, line } of rows()) {
      const record = { value: mappedCells(cells, places), receivedAt, row: ++number }
      const isBad = cells.length > columns.length
      const events = isBad ? [badRow(file, line, cells)] : eventsOfRecord(mapping, record, clocks)
      yield { file, line, events, isExcluded: events.length === 0 && isExcluded(mapping, record) }
    }
  }
}

/** Returns the mapped cells by the column names of the mapping; a blank cell is null. */
function mappedCells(cells: CsvRow['cells'], places: CsvFile['places']): Record<string, string | null> {
  const value: Record<string, string | null> = Object.create(null)
  for (const [name, place] of places) value[name] = cells[place]?.trim() ? cells[place] : null
  return value
}
