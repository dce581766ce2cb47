import type { CellKind } from './columns.ts'

/** Indexes into the list of formats in xlsx-parts.ts. */
export const STYLE = { plain: 0, title: 1, day: 2, whole: 3, two: 4, four: 5, seven: 6, text: 7, wrapped: 8 } as const

export type Style = (typeof STYLE)[keyof typeof STYLE]

/** Returns the style of the cells of a column, with that many decimals. */
export function styleOf(kind: CellKind, places = 0): Style {
  if (kind === 'text') return STYLE.text
  if (kind === 'day') return STYLE.day
  if (kind !== 'decimal') return STYLE.whole
  return places === 2 ? STYLE.two : places === 4 ? STYLE.four : STYLE.seven
}

/** Returns the letters of a column: `A` for 0, `Z` for 25, `AA` for 26. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

/** The epoch day that is day 0 of a spreadsheet. */
const DAY_ZERO = -25_569
/** Spreadsheets count a 29 February 1900, which never existed. Their day numbers are right only after it. */
const FIRST_TRUE_DAY = 61

/** Returns the number of a day (epoch day) in a spreadsheet; null if the spreadsheet has no right number for it. */
export function serialDay(epochDay: number): number | null {
  const serial = epochDay - DAY_ZERO
  return serial < FIRST_TRUE_DAY ? null : serial
}

/** Returns the XML of a number cell. @param place such as `B7` */
export const numberCell = (place: string, style: Style, value: number): string =>
  `<c r="${place}" s="${style}"><v>${value}</v></c>`

/** Returns the XML of a text cell. The text is never taken for anything else: an inline string has no formulas. */
export const textCell = (place: string, style: Style, text: string): string =>
  `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

/**
 * Matches what the format writes as an escape such as `_x0007_`: characters that XML cannot represent, a carriage
 * return, which XML would change, and text that looks like an escape. Lone surrogates become U+FFFD, as in UTF-8.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const UNWRITABLE = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/g

function escaped(text: string): string {
  // Most texts need no escape, and one test tells so.
  if (/^[ -%'-;=?-^`-~]*$/.test(text)) return text
  return text
    .replace(UNWRITABLE, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
