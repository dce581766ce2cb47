import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { CoolerError } from '../base/errors.ts'
import { decode, encodingOf } from './csv-decode.ts'
import { type CsvLayout, layoutOf, MAX_RECORD_BYTES, SYNTAX, withoutLines } from './csv-layout.ts'
import type { CsvOptions } from './csv-options.ts'
import { openBytes } from './csv-source.ts'

/** A row, with its cells in the order of the columns. */
export interface CsvRow {
  cells: readonly string[]
  /** The line on which the row begins. */
  line: number
}

/** An open CSV file, whose rows can be read more than once. */
export interface CsvFile {
  name: string
  columns: readonly string[]
  /** Index of each wanted column, by the name that the caller asked for. */
  places: ReadonlyMap<string, number>
  /** Yields the rows. @throws CoolerError `bad-request` that names the line at which reading failed */
  rows(): AsyncGenerator<CsvRow>
  close(): Promise<void>
}

/** Length of the text from which the layout is detected. */
const SAMPLE_UNITS = 64 * 1024

/**
 * Opens a CSV file; `-` is standard input, and gzip is recognised under any file name. Blanks around the names of
 * columns are ignored, and so are empty lines.
 *
 * @throws CoolerError `bad-request` if it cannot be read, or does not have each of the wanted columns exactly once
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
      places: placesOf(layout, wanted),
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

/** Finds the wanted columns. @throws Error that lists the columns of the file */
function placesOf({ columns, headerAt }: CsvLayout, wanted: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const hint = headerAt === null ? '' : `; line ${headerAt} has all of them: --skip-lines ${headerAt - 1}`
  for (const name of wanted) {
    const place = columns.indexOf(name.trim())
    const count = columns.filter((column) => column === name.trim()).length
    if (count !== 1) {
      const fault = count === 0 ? 'it has no column' : `it has ${count} columns`
      throw new Error(`${fault} ${JSON.stringify(name.trim())}; ${listOf(columns)}${hint}`)
    }
    places.set(name, place)
  }
  return places
}

const MOST_LISTED = 100

function listOf(columns: readonly string[]): string {
  if (columns.length === 0) return 'it is empty'
  if (/^[[{]/.test(columns[0])) return 'it looks like JSON: cooler ingest reads events, one JSON object a line'
  const names = columns.slice(0, MOST_LISTED).map((name) => JSON.stringify(name.slice(0, MOST_LISTED)))
  return `its columns are ${names.join(', ')}${columns.length > MOST_LISTED ? ', ...' : ''}`
}

async function* rowsOf(
  name: string,
  text: AsyncIterable<string>,
  { delimiter, linesAbove }: CsvLayout,
  hasHeader: boolean,
): AsyncGenerator<CsvRow> {
  const place = new Place()
  const parser = parse({
    ...SYNTAX,
    delimiter,
    on_record: (cells, { lines }) => ({ cells, line: place.endRecord(cells, lines) }) as never,
  })
  const source = Readable.from(withEmptyLines(text, linesAbove), { objectMode: false })
  pipeline(source, parser).catch(() => {}) // The reader of the parser gets the error.
  let isHeader = hasHeader
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) {
      if ((isHeader || row.cells.length === 1) && row.cells.every((cell) => cell.trim() === '')) continue
      if (!isHeader) yield row
      isHeader = false
    }
  } catch (error) {
    throw unreadable(name, faultAt(place.line, error))
  }
}

/** Replaces the lines above the first record by empty ones, so that the parser counts lines as the file has them. */
async function* withEmptyLines(text: AsyncIterable<string>, lines: number): AsyncGenerator<string> {
  if (lines > 0) yield '\n'.repeat(lines)
  yield* withoutLines(text, lines)
}

/**
 * Matches a field that began with a stray quote and so took in fields of further lines. The parser takes text after a
 * closing quote as part of the field, and then leaves both quotes in it.
 */
const TAKES_LINES = /^"[^"]*\n[^"]*[,;|\t][^"]*"[^,;|\t\r\n"]/

/** Keeps the parser's place in the file. Its own count of lines counts each CRLF within quotes twice. */
class Place {
  /** The line on which the last record ends. */
  line = 0
  #counted = 0
  #excess = 0

  /** Returns the line on which a record begins. @param counted the parser's count of lines at its end */
  endRecord(cells: readonly string[], counted: number): number {
    const isOneLine = counted === this.#counted + 1
    this.#counted = counted
    let breaks = 0
    for (const cell of isOneLine ? [] : cells) {
      breaks += cell.match(/\r\n|\n|\r/g)?.length ?? 0
      this.#excess += cell.match(/\r\n/g)?.length ?? 0
    }
    this.line = counted - this.#excess
    if (breaks > 0 && cells.some((cell) => TAKES_LINES.test(cell))) throw new StrayQuote()
    return this.line - breaks
  }
}

class StrayQuote extends Error {}

function faultAt(line: number, error: unknown): Error {
  const { code } = error as { code?: string }
  if (code === 'CSV_QUOTE_NOT_CLOSED') return new Error(`a quote that opens after line ${line} is never closed`)
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new Error(
      `the record after line ${line} is longer than ${MAX_RECORD_BYTES / 1024} KiB: is a quote never closed?`,
    )
  if (error instanceof StrayQuote)
    return new Error(
      `in the record that ends on line ${line} a field begins with a stray quote: double the quote, and quote the field`,
    )
  return error as Error
}
