import { seenText } from '../../base/id-text.ts'

/** Matches letters that are written from right to left. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Returns a text of somebody else, such as an id or an address, as a part of a line: what would not be seen is written
 * as its code point, line breaks too; letters from right to left are isolated, so that the text around them keeps its
 * order; and what has more than `most` characters is cut.
 */
export function shown(text: string, most: number): string {
  const seen = [...seenText(text.slice(0, 2 * most + 1))]
  const cut = seen.length > most ? `${seen.slice(0, most - 1).join('')}…` : seen.join('')
  return FROM_RIGHT.test(cut) ? `\u2068${cut}\u2069` : cut
}
