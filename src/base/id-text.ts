/** Matches what is not seen in a text, or turns what comes after it around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
/** Matches the spaces that look like others: all but single ones between words. */
const ODD_SPACES = /(?! )\p{Zs}|^ | $|(?<= ) /gu

const codeOf = (mark: string): string =>
  `⟨U+${(mark.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** Returns a text in which what would not be seen is written as its code point; so it has no line breaks either. */
export const seenText = (text: string): string => text.replace(UNSEEN, codeOf)

/** Returns a text with its format characters, which can turn it around, written as their code points. */
export const markedText = (text: string): string => text.replace(/\p{Cf}/gu, codeOf)

/**
 * Returns the id of a cooler as it is shown: what would not be seen, or looks like something else, is written as its
 * code point, and an id in other than ASCII letters is isolated, so that the text around it keeps its order.
 */
export function idText(id: string): string {
  const seen = seenText(id.replace(ODD_SPACES, codeOf))
  return /^[ -~]*$/.test(seen) ? id : `\u2068${seen}\u2069`
}
