const BEGINNING = /^[\s"'\0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/**
 * What a spreadsheet may take for the beginning of a formula, full-width signs among it, also where blanks or quotes
 * stand before it; and what may move the text to another cell.
 */
const FORMULA = new RegExp(`${BEGINNING.source}|^'*[\\t\\r\\n]`)

/**
 * Where another cell begins for a spreadsheet that separates cells by semicolons, as it is usual with a decimal comma: it
 * heeds quotes at the beginning of a cell alone.
 */
const OTHER_CELLS = /(?<=[;\t\r\n])/

/** Changes what stands in such other cells; blanks before a formula at the very beginning are no cells. */
function changeOtherCells(text: string, change: (cell: string) => string): string {
  const lead = FORMULA.test(text) ? text.length - text.replace(/^[\s"'\0\ufeff]*/, '').length : 0
  const [first, ...others] = text.slice(lead).split(OTHER_CELLS)
  return text.slice(0, lead) + [first, ...others.map(change)].join('')
}

/** With an apostrophe before whatever could be a formula: spreadsheets then take it for text. */
const harmless = (text: string): string =>
  (FORMULA.test(text) ? "'" : '') + changeOtherCells(text, (cell) => (BEGINNING.test(cell) ? `'${cell}` : cell))

/** An empty text stands in quotes, so that it is not null. */
const quoted = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A text as a field of a CSV file. */
export const csvText = (text: string): string => quoted(harmless(text))

/** The text that csvText was given, where a CSV reader has read this. */
export function textOfCsv(read: string): string {
  const text = read.startsWith("'") && FORMULA.test(read.slice(1)) ? read.slice(1) : read
  return changeOtherCells(text, (cell) =>
    cell.startsWith("'") && BEGINNING.test(cell.slice(1)) ? cell.slice(1) : cell,
  )
}
