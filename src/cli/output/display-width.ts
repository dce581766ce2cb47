import stringWidth from 'string-width'

const PLAIN = /^[\x20-\x7e]*$/

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the columns of a terminal that a text takes; 0 for the empty text. Control characters take none: see `printable`. */
export const displayWidth = (text: string): number => (PLAIN.test(text) ? text.length : stringWidth(text))

/** Returns the longest beginning that takes at most `width` columns, ended by `…` where anything was cut. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let columns = 1
  for (const { segment } of segmenter.segment(text)) {
    columns += displayWidth(segment)
    if (columns > width) break
    kept += segment
  }
  return `${kept}…`
}
