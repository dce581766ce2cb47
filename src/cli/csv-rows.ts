import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { CoolerError } from '../errors.ts'
import { decode, encodingOf } from './csv-decode.ts'
import { type CsvLayout, layoutOf, MAX_RECORD_BYTES, SYNTAX, withoutLines } from './csv-layout.ts'
import type { CsvOptions } from './csv-options.ts'
import { openBytes } from './csv-source.ts'

/** A row by the place of its columns. */
export interface CsvRow {
  /** Null is a field with nothing or only blanks in it; an empty text stood in quotes. */
  cells: readonly (string | null)[]
  /** The line on which the row begins. */
  line: number
}

/** A CSV file that is open, so that its rows can be read more than once. */
export interface CsvFile {
  name: string
  columns: readonly string[]
  /** Where the wanted columns are, by their names as they were asked for. */
  places: ReadonlyMap<string, number>
  /** @throws CoolerError `bad-request` that names the line at which the file cannot be read on */
  rows(): AsyncGenerator<CsvRow>
  close(): Promise<void>
}

/** Text from which the layout is found out. */
const SAMPLE_UNITS = 64 * 1024

/**
 * Opens a CSV file; `-` is standard input, and a file may be gzip, whatever its name says. Blanks around the names of
 * columns do not count, nor do empty lines.
 *
 * @throws CoolerError `bad-request` if it cannot be read, or does not have each of the wanted columns once
 */
export async function openCsv(
  name: string,
  { encoding, ...options }: CsvOptions,
  wanted: readonly string[],
): Promise<CsvFile> {
  const bytes = await openBytes(name).catch((error) => Promise.reject(unreadable(name, error)))
  try {
    const known = await encodingOf(bytes, encoding)
    const text = (): AsyncGenerator<string> => decode(bytes, known)
    const top = await beginning(text())
    const below = await beginning(withoutLines(text(), options.skipLines ?? 0))
    const layout = layoutOf(
      { top, below },
      options,
      wanted.map((column) => column.trim()),
    )
    return {
      name,
      columns: layout.columns,
      places: placesOf(layout.columns, wanted),
      rows: () => rowsOf(name, text(), layout, options.columns === undefined),
      close: bytes.close,
    }
  } catch (error) {
    await bytes.close()
    throw unreadable(name, error)
  }
}

const unreadable = (name: string, error: unknown): CoolerError =>
  new CoolerError('bad-request', `${name} cannot be read: ${(error as Error).message}`, { cause: error })

async function beginning(text: AsyncIterable<string>): Promise<string> {
  let sample = ''
  for await (const chunk of text) {
    sample += chunk
    if (sample.length >= SAMPLE_UNITS) break
  }
  return sample.slice(0, SAMPLE_UNITS)
}

/** @throws Error that names the columns that there are */
function placesOf(columns: readonly string[], wanted: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const name of wanted) {
    const place = columns.indexOf(name.trim())
    const count = columns.filter((column) => column === name.trim()).length
    if (count !== 1) {
      const fault = count === 0 ? 'it has no column' : `it has ${count} columns`
      throw new Error(`${fault} ${JSON.stringify(name.trim())}; ${listOf(columns)}`)
    }
    places.set(name, place)
  }
  return places
}

const MOST_LISTED = 100

function listOf(columns: readonly string[]): string {
  if (columns.length === 0) return 'it is empty'
  const names = columns.slice(0, MOST_LISTED).map((name) => JSON.stringify(name.slice(0, MOST_LISTED)))
  return `its columns are ${names.join(', ')}${columns.length > MOST_LISTED ? ', ...' : ''}`
}

async function* rowsOf(
  name: string,
  text: AsyncIterable<string>,
  { delimiter, linesAbove }: CsvLayout,
  hasHeader: boolean,
): AsyncGenerator<CsvRow> {
  const parser = parse({ ...SYNTAX, delimiter, info: true, cast: (value, { quoting }) => cellOf(value, quoting) })
  const source = Readable.from(withEmptyLines(text, linesAbove), { objectMode: false })
  pipeline(source, parser).catch(() => {}) // Whoever reads from the parser gets the error.
  const lines = new LineCount()
  let isHeader = hasHeader
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: CsvRow['cells']
      info: { lines: number }
    }>) {
      const line = lines.startOf(record, info.lines)
      const isEmpty = record.length === 1 && record[0] === null
      if (!isHeader && !isEmpty) yield { cells: record, line }
      if (!isEmpty) isHeader = false
    }
  } catch (error) {
    throw unreadable(name, faultAfter(lines.end, error))
  }
}

/** In place of the lines above the first record, so that the parser counts lines as the file has them. */
async function* withEmptyLines(text: AsyncIterable<string>, lines: number): AsyncGenerator<string> {
  if (lines > 0) yield '\n'.repeat(lines)
  yield* withoutLines(text, lines)
}

function cellOf(value: string, isQuoted: boolean): string | null {
  // The parser takes text after a closing quote for part of the field, and then leaves the quotes in it.
  if (isQuoted && value.startsWith('"') && value.includes('\n'))
    throw new Error(
      'a field that begins with a stray quote runs over several lines: double the quote, and quote the field',
    )
  return !isQuoted && value.trim() === '' ? null : value
}

/** Lines of the file, from the parser's own count, which counts each CRLF in quotes twice. */
class LineCount {
  /** The line on which the last record ends. */
  end = 0
  #counted = 0
  #excess = 0

  /** Returns the line on which a record begins, by the parser's count at its end. */
  startOf(record: CsvRow['cells'], counted: number): number {
    const isOneLine = counted === this.#counted + 1
    this.#counted = counted
    let breaks = 0
    if (!isOneLine) {
      for (const cell of record) breaks += cell?.match(/\r\n|\n|\r/g)?.length ?? 0
      for (const cell of record) this.#excess += cell?.match(/\r\n/g)?.length ?? 0
    }
    this.end = counted - this.#excess
    return this.end - breaks
  }
}

function faultAfter(line: number, error: unknown): Error {
  const { code } = error as { code?: string }
  if (code === 'CSV_QUOTE_NOT_CLOSED') return new Error(`a quote that opens after line ${line} is never closed`)
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new Error(`the record after line ${line} is longer than ${MAX_RECORD_BYTES} bytes: is a quote never closed?`)
  return error as Error
}
