import { type Options, parse } from 'csv-parse/sync'
import type { CsvOptions } from './csv-options.ts'

/** Longest record. Without a limit, a quote that is never closed could fill the memory. */
export const MAX_RECORD_BYTES = 1024 * 1024

/** Syntax options for csv-parse. A stray quote within an unquoted field is text, and lines may end in any way. */
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
  /** If wanted columns are missing: the number, from 1, of a later line that has all of them; else null. */
  headerAt: number | null
}

const DELIMITERS = [',', ';', '|', '\t']
const SAMPLE_RECORDS = 20
const MOST_LINES_ABOVE = 100
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i

/**
 * Finds the layout of a file from its text: `top` is the beginning of the file, `below` begins after the lines to skip.
 * `wanted` are the names of columns that the file should have.
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

/** Returns the index of the first line that has all the columns, looking at the first lines only; -1 if no line has. */
const lineWith = (text: string, delimiters: readonly string[], wanted: readonly string[]): number =>
  text
    .split(/\r\n|\n|\r/, MOST_LINES_ABOVE)
    .findIndex((line) => delimiters.some((one) => tryDelimiter(line, one, undefined, wanted).found === wanted.length))

interface Trial {
  delimiter: string
  columns: readonly string[]
  /** Number of wanted columns that were found. */
  found: number
  /** Number of fields that the rows have too many or too few, compared with the columns. */
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

/** Sorts trials with more of the wanted columns first, then those whose rows fit, then those with more columns. */
const byFit = (one: Trial, other: Trial): number =>
  other.found - one.found || one.misfits - other.misfits || other.columns.length - one.columns.length

/** Parses the first records. If the sample ends within quotes, parses the header alone, or else ignores quotes. */
function sampleRecords(text: string, delimiter: string): string[][] {
  for (const to of [SAMPLE_RECORDS, 1]) {
    try {
      return parse(text, { ...SYNTAX, delimiter, to })
    } catch {
      // Try the next way.
    }
  }
  return parse(text, { ...SYNTAX, delimiter, to: SAMPLE_RECORDS, quote: null })
}

/** Yields a text without its first `lines` lines. */
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
