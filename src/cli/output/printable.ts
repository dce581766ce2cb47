/**
 * Characters that a terminal would obey or a reader would not see: controls (C0, DEL, C1), line and paragraph
 * separators, directional overrides, invisible characters and halves of surrogate pairs. The joiners U+200C and U+200D
 * are kept: scripts and emoji need them, and they do not affect the line.
 */
const BREAKS_AND_CONTROLS = '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}'
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const INVISIBLE = '\\xad\\u180e\\u200b\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'
const UNPRINTABLE = new RegExp(`[${BREAKS_AND_CONTROLS}${DIRECTIONS}${INVISIBLE}]`, 'gu')

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Returns the text on one line, unable to control a terminal: unprintable characters become `\n`, `\r`, `\t`, `\x1b` or
 * `\u202e`. For display only: backslashes are not escaped, so the result cannot be converted back.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) as number
    const digits = code.toString(16)
    if (code > 0xffff) return `\\u{${digits}}`
    return SHORT[character] ?? (code > 0xff ? `\\u${digits.padStart(4, '0')}` : `\\x${digits.padStart(2, '0')}`)
  })
}
