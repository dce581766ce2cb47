const BEGINNING = /^[\s"'\0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/**
 * Matches text that a spreadsheet may take for a formula (full-width signs included, also after blanks or quotes), or
 * whose beginning may move it to another cell.
 */
const FORMULA = new RegExp(`${BEGINNING.source}|^'*[\\t\\r\\n]`)

/**
 * Matches where another cell begins for a spreadsheet that separates cells by semicolons, as is usual with a decimal
 * comma. Such a spreadsheet respects quotes only at the beginning of a cell.
 */
const OTHER_CELLS = /(?<=[;\t\r\n])/

/** Changes the text of each of those cells. Blanks before a formula at the very beginning are not cells. */
function changeOtherCells(text: string, change: (cell: string) => string): string {
  const lead = FORMULA.test(text) ? text.length - text.replace(/^[\s"'\0\ufeff]*/, '').length : 0
  const [first, ...others] = text.slice(lead).split(OTHER_CELLS)
  return text.slice(0, lead) + [first, ...others.map(change)].join('')
}

/** Puts an apostrophe before anything that could be a formula, so that spreadsheets take it for text. */
const harmless = (text: string): string =>
  (FORMULA.test(text) ? "'" : '') + changeOtherCells(text, (cell) => (BEGINNING.test(cell) ? `'${cell}` : cell))

/** Quotes a field if necessary. An empty text is quoted, to tell it from null. */
const quoted = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Returns a text as a field of a CSV file. */
export const csvText = (text: string): string => quoted(harmless(text))

/** Returns the text that csvText was given, from the field as a CSV reader has read it. */
export function textOfCsv(read: string): string {
  const text = read.startsWith("'") && FORMULA.test(read.slice(1)) ? read.slice(1) : read
  return changeOtherCells(text, (cell) =>
    cell.startsWith("'") && BEGINNING.test(cell.slice(1)) ? cell.slice(1) : cell,
  )
}
