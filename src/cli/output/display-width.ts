/**
 * How many columns of a terminal a text takes. As terminals do it: wide and fullwidth characters of East Asia and emoji
 * take two, combining marks and joiners none, all else one; characters of ambiguous width take one.
 *
 * Unicode tells widths in no property that JavaScript's regular expressions know, hence the ranges: the blocks of
 * EastAsianWidth W and F, with what is unassigned among them.
 */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f], // Hangul leading consonants
  [0x2329, 0x232a],
  [0x2e80, 0x303e], // CJK radicals, Kangxi, CJK punctuation
  [0x3041, 0x4dbf], // kana, bopomofo, compatibility, CJK extension A
  [0x4e00, 0xa4cf], // CJK ideographs, Yi
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3], // Hangul syllables
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60], // fullwidth forms
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff], // Tangut, Khitan
  [0x1aff0, 0x1b2ff], // kana supplements, Nushu
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd], // CJK extensions B and on
]

const PLAIN = /^[\x20-\x7e]*$/
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cc}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a reader takes for single characters: an emoji with its modifiers, a letter with its marks. */
export function* graphemes(text: string): Generator<string, void, undefined> {
  for (const { segment } of segmenter.segment(text)) yield segment
}

/** Columns that the text takes; 0 for the empty text. Control characters take none: see `printable`. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme)
  return width
}

/** The longest beginning that takes at most `width` columns, ended by `…` where anything was cut. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let columns = 1
  for (const grapheme of graphemes(text)) {
    columns += graphemeWidth(grapheme)
    if (columns > width) break
    kept += grapheme
  }
  return `${kept}…`
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2
  let width = 0
  for (const character of grapheme) width += characterWidth(character)
  return width
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) as number
  if (code < 0x7f) return code < 0x20 ? 0 : 1
  if (NO_COLUMN.test(character)) return 0
  return WIDE_RANGES.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}
