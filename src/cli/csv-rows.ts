import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { CoolerError } from '../errors.ts'
import { isPacked } from '../ingest/line-chunks.ts'

/** A row by the names of its columns. Null is a field without anything in it; an empty text stands in quotes. */
export type CsvRow = Readonly<Record<string, string | null>>

/**
 * The rows of a CSV file whose first row names the columns, with the line that each ends on; `-` is standard input. A file
 * may be gzip, whatever its name says; a byte order mark and blank lines are nothing.
 *
 * @throws CoolerError `bad-request` where it is not there or is no CSV
 */
export async function* csvRows(file: string, delimiter = ','): AsyncGenerator<{ row: CsvRow; line: number }> {
  const rows = parse({
    columns: true,
    bom: true,
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (value, { quoting, header }) => (value === '' && !quoting && !header ? null : value),
  })
  try {
    const source = file === '-' ? process.stdin : createReadStream(file)
    const unpacked = file !== '-' && (await isPacked(file)) ? [source, createGunzip(), rows] : [source, rows]
    pipeline(unpacked as [typeof source, typeof rows]).catch(() => {}) // Told by the rows, which end with it.
    for await (const { record, info } of rows as AsyncIterable<{ record: CsvRow; info: { lines: number } }>)
      yield { row: record, line: info.lines }
  } catch (error) {
    throw new CoolerError('bad-request', `${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
