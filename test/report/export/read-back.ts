import { readXlsx } from 'hucre/xlsx'
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { formatDay } from '../../../src/base/time.ts'
import { textOfCsv } from '../../../src/report/export/csv-text.ts'

/** A cell as it is read: days as YYYYMMDD. */
export type Cell = string | number | null
export type Row = Record<string, Cell>

const DAY_MS = 86_400_000
const DAYS: readonly string[] = ['day', 'startDay', 'endDay', 'fromDay', 'toDay']
const OF_REPORTS = ['assertId', 'location', 'address', 'throwinDate']
const OF_FLEET = ['id', 'status', 'lastHeardAt', 'exceptions', 'timezone', 'placedAt']
const TEXTS: readonly string[] = [...OF_REPORTS, ...OF_FLEET]

/** The lines of a CSV (RFC 4180) as fields; null where there is nothing, not even quotes. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [[]]
  for (let at = 0; at < text.length; ) {
    const isQuoted = text[at] === '"'
    let field = ''
    if (isQuoted) {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) throw new Error('a field that does not end')
        field += text[at]
        if (text[at] === '"') at++
      }
      at++
    } else {
      const end = /[,\r\n]/.exec(text.slice(at, at + 4096))
      if (end === null) throw new Error('a line that does not end')
      field = text.slice(at, at + end.index)
      if (field.includes('"')) throw new Error(`a quote within ${field}`)
      at += end.index
    }
    rows[rows.length - 1].push(!isQuoted && field === '' ? null : field)
    if (text[at] === ',') at++
    else if (text.startsWith('\r\n', at)) {
      at += 2
      rows.push([])
    } else throw new Error(`neither a comma nor the end of a line at ${at}`)
  }
  if (rows.pop()?.length !== 0) throw new Error('the last line does not end')
  return rows
}

/** What a spreadsheet takes for a formula: at the beginning, and where semicolons begin another cell. */
const FORMULA = /^[=+\-@\t\r\n]|;[=+\-@]/

/** A text as its program was given it: apostrophes stand before what a spreadsheet could take for a formula. */
function withoutApostrophe(read: string): string {
  if (FORMULA.test(read)) throw new Error(`a spreadsheet would take ${read} for a formula`)
  return textOfCsv(read)
}

export function csvRows(bytes: Uint8Array): Row[] {
  const [names, ...rows] = parseCsv(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  return rows.map((fields) => {
    if (fields.length !== names.length) throw new Error(`${fields.length} fields, ${names.length} names`)
    return Object.fromEntries(fields.map((field, nth) => [names[nth], cellOf(String(names[nth]), field)]))
  })
}

function cellOf(name: string, field: string | null): Cell {
  if (field === null) return null
  if (TEXTS.includes(name) || name.startsWith('label:')) return withoutApostrophe(field)
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(field)) throw new Error(`${name} is no plain number: ${field}`)
  return Number(field)
}

export interface Workbook {
  rows: Row[]
  sheets: string[]
  definitions: unknown[][]
  parameters: unknown[][]
}

export async function readWorkbook(bytes: Uint8Array): Promise<Workbook> {
  const { sheets } = await readXlsx(bytes)
  const named = (name: string) => sheets.find((sheet) => sheet.name === name)?.rows ?? []
  const rows = sheets.filter(({ name }) => name.startsWith('Report')).flatMap((sheet) => asObjects(sheet.rows))
  return {
    rows,
    sheets: sheets.map(({ name }) => name),
    definitions: named('Definitions'),
    parameters: named('Parameters'),
  }
}

function asObjects([names, ...rows]: unknown[][]): Row[] {
  return rows.map((cells) => Object.fromEntries(names.map((name, nth) => [name, spreadsheetCell(cells[nth])])))
}

function spreadsheetCell(value: unknown): Cell {
  if (value instanceof Date) return formatDay(value.getTime() / DAY_MS)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`neither text nor number: ${value}`)
  return value
}

/** Of itself the reader takes U+FEFF at the beginning of a text for a byte order mark. */
const stringFromBytes = (bytes: Uint8Array | undefined) =>
  bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

export async function parquetRows(bytes: Uint8Array): Promise<Row[]> {
  const rows = await parquetReadObjects({ file: bufferOf(bytes), parsers: { stringFromBytes } })
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (value instanceof Date && DAYS.includes(name)) return [name, formatDay(value.getTime() / DAY_MS)]
        return [name, typeof value === 'bigint' ? Number(value) : (value ?? null)]
      }),
    ),
  )
}

/** What a Parquet file says of itself. */
export const parquetMetadata = (bytes: Uint8Array) => parquetMetadataAsync(bufferOf(bytes))
