/** Matches what is not seen in a text, or turns what comes after it around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/**
 * Returns the id of a cooler as it is shown: what would not be seen is written as its code point, and an id in other
 * than ASCII letters is isolated, so that the text around it keeps its order.
 */
export function idText(id: string): string {
  const seen = id.replace(
    UNSEEN,
    (mark) => `⟨U+${(mark.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
  return /^[ -~]*$/.test(id) ? id : `\u2068${seen}\u2069`
}
