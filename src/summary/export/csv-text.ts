/**
 * What a spreadsheet may take for the beginning of a formula, full-width signs among it, also where blanks or quotes
 * stand before it; and what may move the text to another cell.
 */
const FORMULA = /^[\s"'\0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** With an apostrophe before what could be a formula: spreadsheets then take it for text. */
const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** An empty text stands in quotes, so that it is not null. */
const quoted = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A text as a field of a CSV file. */
export const csvText = (text: string): string => quoted(harmless(text))

/** The text that csvText was given, where a CSV reader has read this. */
export const textOfCsv = (read: string): string =>
  read.startsWith("'") && FORMULA.test(read.slice(1)) ? read.slice(1) : read
