import { type Options, parse } from 'csv-parse/sync'
import type { CsvOptions } from './csv-options.ts'

/** Longest record, so that a quote that is never closed cannot fill the memory. */
export const MAX_RECORD_BYTES = 1024 * 1024

/** How csv-parse splits records into fields: a stray quote within an unquoted field is text, lines may end in any way. */
export const SYNTAX = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: MAX_RECORD_BYTES,
} satisfies Options

export interface CsvLayout {
  delimiter: string
  /** Names of the columns, trimmed. */
  columns: readonly string[]
  /** Lines above the first record. */
  linesAbove: number
  /** If wanted columns are missing: a line further down that has all of them, from 1; else null. */
  headerAt: number | null
}

const DELIMITERS = [',', ';', '|', '\t']
const SAMPLE_RECORDS = 20
const MOST_LINES_ABOVE = 100
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i

/**
 * Finds the layout of a file by its text: that at its `top`, and that `below` the lines which are to be skipped. `wanted`
 * are names of columns that it should have.
 */
export function layoutOf(
  { top, below }: { top: string; below: string },
  { delimiter, skipLines = 0, columns }: CsvOptions,
  wanted: readonly string[],
): CsvLayout {
  const separatorLine = SEPARATOR_LINE.exec(below)
  const separator = (separatorLine ?? SEPARATOR_LINE.exec(top))?.[1]
  const text = below.slice(separatorLine?.[0].length ?? 0)
  const given = delimiter ?? separator
  const candidates = given === undefined ? DELIMITERS : [given]
  const [best] = candidates.map((one) => tryDelimiter(text, one, columns, wanted)).sort(byFit)
  const linesAbove = skipLines + (separatorLine === null ? 0 : 1)
  const isMissing = best.found < wanted.length && columns === undefined
  const header = isMissing ? lineWith(text, candidates, wanted) : -1
  return { ...best, linesAbove, headerAt: header < 0 ? null : linesAbove + header + 1 }
}

/** Returns the place of the first line, among the first ones, that has all the columns; -1 if no line has. */
const lineWith = (text: string, delimiters: readonly string[], wanted: readonly string[]): number =>
  text
    .split(/\r\n|\n|\r/, MOST_LINES_ABOVE)
    .findIndex((line) => delimiters.some((one) => tryDelimiter(line, one, undefined, wanted).found === wanted.length))

interface Trial {
  delimiter: string
  columns: readonly string[]
  /** How many of the wanted columns there are. */
  found: number
  /** Fields that the rows have more or less than there are columns. */
  misfits: number
}

function tryDelimiter(
  text: string,
  delimiter: string,
  named: readonly string[] | undefined,
  wanted: readonly string[],
): Trial {
  const records = sampleRecords(text, delimiter).filter((record) => record.join('').trim() !== '')
  const columns = (named ?? records.shift() ?? []).map((name) => name.trim())
  return {
    delimiter,
    columns,
    found: wanted.filter((name) => columns.includes(name)).length,
    misfits: records.reduce((sum, { length }) => sum + Math.abs(length - columns.length), 0),
  }
}

/** The one with more of the wanted columns first, then the one whose rows fit, then the one with more columns. */
const byFit = (one: Trial, other: Trial): number =>
  other.found - one.found || one.misfits - other.misfits || other.columns.length - one.columns.length

/** A sample may end within quotes: then its header alone is read, or as if there were no quotes. */
function sampleRecords(text: string, delimiter: string): string[][] {
  for (const to of [SAMPLE_RECORDS, 1]) {
    try {
      return parse(text, { ...SYNTAX, delimiter, to })
    } catch {
      // The next way is tried.
    }
  }
  return parse(text, { ...SYNTAX, delimiter, to: SAMPLE_RECORDS, quote: null })
}

/** Leaves out so many lines at the beginning of a text. */
export async function* withoutLines(text: AsyncIterable<string>, lines: number): AsyncGenerator<string> {
  let [left, held] = [lines, '']
  for await (const chunk of text) {
    const lineEnd = /\r\n|\n|\r/g
    let rest = held + chunk
    // A carriage return at the end may be half of a line end.
    held = left > 0 && rest.endsWith('\r') ? '\r' : ''
    rest = rest.slice(0, rest.length - held.length)
    let start = 0
    for (; left > 0 && lineEnd.exec(rest) !== null; left--) start = lineEnd.lastIndex
    if (left > 0) continue
    yield rest.slice(start) + held
    held = ''
  }
}
