import { displayWidth, truncate } from './display-width.ts'
import { type ColumnDemand, fitColumns } from './fit-columns.ts'
import { printable } from './printable.ts'

export type CellValue = string | number | boolean | null | undefined

export interface Column<Row> {
  title: string
  value: (row: Row) => CellValue
  /** Digits after the decimal point, 0 to 20; by default, numbers are printed as JavaScript writes them. */
  decimals?: number
  /** On a narrow terminal the least important column shrinks first; of equals, the rightmost one. */
  importance?: number
}

export interface TableOptions {
  /** Width in columns, 1 or more; no line is longer. Unlimited by default, as for a pipe or a file. */
  width?: number | undefined
  /** Prints titles bold and dashes dim, with ANSI escapes. Off by default. */
  color?: boolean
}

/** A column as text: its title, and a cell for each row. */
interface Printed {
  title: string
  cells: string[]
  numeric: boolean
  importance: number
}

interface Placed extends Printed {
  width: number
}

const GAP = '  '
const UNKNOWN = '-'

/**
 * Renders a table as lines of text, without a line break at its end. Without rows it prints only the titles; without
 * columns it returns the empty text. Numbers are right-aligned; null, undefined and NaN are printed as `-`.
 *
 * If a terminal is too narrow, the text of the least important columns is cut with `…`; then these columns are left out
 * and named in a last line. Numbers are never cut: a number that does not fit is printed as `…`. Control characters are
 * escaped, so that cells cannot control the terminal.
 *
 * Takes all rows at once: for thousands of rows, not for millions.
 */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width = Infinity, color = false }: TableOptions = {},
): string {
  const printed = columns.map((column) => printColumn(column, rows))
  const widths = fitColumns(printed.map(demand), Math.max(1, width), GAP.length)
  const shown: Placed[] = printed.flatMap((column, index) => {
    const columnWidth = widths[index]
    return columnWidth === null ? [] : [{ ...column, width: columnWidth }]
  })
  if (shown.length === 0) return ''
  const lines = [joinLine(shown.map((column) => paint(align(column.title, column), 'bold', color)))]
  for (let row = 0; row < rows.length; row++) {
    lines.push(joinLine(shown.map((column) => printCell(column.cells[row], column, color))))
  }
  const hidden = printed.filter((_, index) => widths[index] === null)
  if (hidden.length > 0) lines.push(truncate(`… not shown: ${hidden.map(({ title }) => title).join(', ')}`, width))
  return lines.join('\n')
}

function printColumn<Row>({ title, value, decimals, importance = 0 }: Column<Row>, rows: readonly Row[]): Printed {
  let numeric = false
  let text = false
  const cells = rows.map((row) => {
    const cell = value(row)
    if (cell === null || cell === undefined || Number.isNaN(cell)) return UNKNOWN
    if (typeof cell === 'number') numeric = true
    else text = true
    return typeof cell === 'number' && decimals !== undefined ? cell.toFixed(decimals) : printable(String(cell))
  })
  return { title: printable(title), cells, numeric: numeric && !text, importance }
}

/** Returns the full width of a column and the least width that it can do with. */
function demand({ title, cells, numeric, importance }: Printed): ColumnDemand {
  let widest = 1
  for (const cell of cells) widest = Math.max(widest, displayWidth(cell))
  const full = Math.max(widest, displayWidth(title))
  return { full, least: numeric ? widest : Math.min(full, SHORTEST_TEXT), importance }
}

/** Shortest cut text that is still useful, in columns of the terminal. */
const SHORTEST_TEXT = 8

function align(text: string, { width, numeric }: Placed): string {
  const fitted = truncate(text, width)
  const padding = ' '.repeat(width - displayWidth(fitted))
  return numeric ? padding + fitted : fitted + padding
}

function joinLine(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd()
}

function printCell(cell: string, column: Placed, color: boolean): string {
  // A number that is cut would read as another number.
  const fits = !column.numeric || displayWidth(cell) <= column.width
  const aligned = align(fits ? cell : '…', column)
  return cell === UNKNOWN ? paint(aligned, 'dim', color) : aligned
}

function paint(text: string, style: 'bold' | 'dim', color: boolean): string {
  return color ? `\u001b[${style === 'bold' ? 1 : 2}m${text}\u001b[22m` : text
}
