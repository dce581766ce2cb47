import type { ExportColumn } from './columns.ts'
import { type ExportEntry, isoDay, type Parameter, type ReportHead, type ReportWriter } from './report-writer.ts'
import { columnLetters, numberCell, STYLE, type Style, serialDay, styleOf, textCell } from './xlsx-cells.ts'
import { parts, SHEET_END, sheetBegin, sheetFile } from './xlsx-parts.ts'
import { ZipStream } from './zip-stream.ts'

/** Most rows of a sheet, without the title row; a report with more rows continues in another sheet. */
const ROWS_OF_SHEET = 1_048_575

interface PlacedColumn<Entry> extends ExportColumn<Entry> {
  letters: string
  style: Style
}

/**
 * Writes a report as a workbook: cells hold numbers, days and texts, never formulas; the columns and the parameters are
 * explained in sheets of their own. Those short sheets come first in the file; the report follows, row by row.
 */
export class XlsxWriter<Entry = ExportEntry> implements ReportWriter<Entry> {
  readonly #head: ReportHead<Entry>
  readonly #columns: readonly PlacedColumn<Entry>[]
  readonly #zip: ZipStream
  readonly #rowsOfSheet: number
  /** Rows written to the current sheet, including the title row. */
  #rows = 0
  #sheet = 0

  constructor(head: ReportHead<Entry>, rowsOfSheet = ROWS_OF_SHEET) {
    this.#head = head
    this.#rowsOfSheet = rowsOfSheet
    this.#columns = head.columns.map((column, nth) => ({
      ...column,
      letters: columnLetters(nth),
      style: styleOf(column.kind, column.places),
    }))
    this.#zip = new ZipStream()
    const sheets = Math.max(1, Math.ceil(head.deviceCount / rowsOfSheet))
    const names = Array.from({ length: sheets }, (_, nth) => (nth === 0 ? 'Report' : `Report ${nth + 1}`))
    for (const [name, text] of parts([...names, 'Definitions', 'Parameters'])) this.#zip.file(name, text)
    this.#zip.file(sheetFile(sheets), definitions(this.#columns))
    this.#zip.file(sheetFile(sheets + 1), parameters(head))
    this.#beginSheet()
  }

  add(entries: readonly Entry[]): void {
    let text = ''
    for (const entry of entries) {
      if (this.#rows > this.#rowsOfSheet) {
        this.#zip.write(text + SHEET_END)
        this.#zip.endFile()
        this.#sheet++
        this.#beginSheet()
        text = ''
      }
      text += this.#row(entry)
    }
    this.#zip.write(text)
  }

  end(): void {
    this.#zip.write(SHEET_END)
    this.#zip.endFile()
    this.#zip.end()
  }

  take(): Uint8Array {
    return this.#zip.take()
  }

  #beginSheet(): void {
    this.#zip.begin(sheetFile(this.#sheet))
    const widths = this.#columns.map(({ width }) => width)
    const titles = this.#columns.map(({ name }) => name)
    this.#zip.write(sheetBegin(widths, this.#sheet === 0) + titleRow(titles))
    this.#rows = 1
  }

  #row(entry: Entry): string {
    const row = ++this.#rows
    let cells = ''
    for (const column of this.#columns) {
      const value = column.value(entry, this.#head)
      const place = column.letters + row
      if (value === null) continue
      if (typeof value === 'string') cells += textCell(place, column.style, value)
      else cells += column.kind === 'day' ? dayCell(place, value) : numberCell(place, column.style, value)
    }
    return `<row r="${row}">${cells}</row>`
  }
}

/** Returns the cell of a day; a day that spreadsheets have no right number for is a text. */
function dayCell(place: string, epochDay: number): string {
  const serial = serialDay(epochDay)
  if (serial !== null) return numberCell(place, STYLE.day, serial)
  return textCell(place, STYLE.text, isoDay(epochDay))
}

const textRow = (row: number, style: Style, texts: readonly string[]): string =>
  `<row r="${row}">${texts.map((text, nth) => textCell(columnLetters(nth) + row, style, text)).join('')}</row>`

const titleRow = (titles: readonly string[]): string => textRow(1, STYLE.title, titles)

function definitions(columns: readonly Pick<ExportColumn, 'name' | 'meaning' | 'unit' | 'empty'>[]): string {
  const rows = columns.map(({ name, meaning, unit, empty }, nth) =>
    textRow(nth + 2, STYLE.wrapped, [name, meaning, unit, empty]),
  )
  return (
    sheetBegin([20, 70, 34, 44], false) + titleRow(['column', 'meaning', 'unit', 'empty']) + rows.join('') + SHEET_END
  )
}

/** Returns the sheet of the parameters; a list takes one row for each of its texts. */
function parameters({ parameters: all }: Pick<ReportHead, 'parameters'>): string {
  const single = all.flatMap(({ value, ...parameter }): (Omit<Parameter, 'value'> & { value: SingleValue })[] =>
    isList(value) ? value.map((one) => ({ ...parameter, value: one })) : [{ ...parameter, value }],
  )
  const rows = single.map(({ name, value, meaning }, nth) => {
    const row = nth + 2
    const [before, after] = [textCell(`A${row}`, STYLE.wrapped, name), textCell(`C${row}`, STYLE.wrapped, meaning)]
    return `<row r="${row}">${before}${valueCell(`B${row}`, value)}${after}</row>`
  })
  return sheetBegin([24, 40, 70], false) + titleRow(['parameter', 'value', 'meaning']) + rows.join('') + SHEET_END
}

type SingleValue = Exclude<Parameter['value'], readonly string[]>

const isList = (value: Parameter['value']): value is readonly string[] => Array.isArray(value)

function valueCell(place: string, value: SingleValue): string {
  if (typeof value === 'string') return textCell(place, STYLE.wrapped, value)
  return typeof value === 'number' ? numberCell(place, STYLE.plain, value) : dayCell(place, value.epochDay)
}
