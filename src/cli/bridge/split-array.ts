const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Yields the texts of the elements of a JSON array without parsing them, so that a long array need not be in memory as
 * values. Returns whether the text is an array, judged only by brackets, quotes and commas; if it is not, the yielded
 * texts are meaningless.
 */
export function* splitArray(text: string): Generator<string, boolean> {
  if (text.charCodeAt(0) !== OPEN_ARRAY) return false
  let depth = 0
  let start = 1
  let end = 0
  for (let place = 0; place < text.length && end === 0; place++) {
    const code = text.charCodeAt(place)
    if (code === QUOTE) {
      place = endOfString(text, place)
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth++
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (--depth === 0) end = place
    } else if (code === COMMA && depth === 1) {
      const element = text.slice(start, place).trim()
      if (element === '') return false
      yield element
      start = place + 1
    }
  }
  if (end === 0 || text.charCodeAt(end) !== CLOSE_ARRAY || text.slice(end + 1).trim() !== '') return false
  const last = text.slice(start, end).trim()
  if (last === '') return start === 1 && /^[ \t\r\n]*$/.test(text.slice(1, end)) // A trailing comma is a fault.
  yield last
  return true
}

/** Returns the index of a string's closing quote, or the length of the text if the string is not closed. */
function endOfString(text: string, open: number): number {
  for (let place = text.indexOf('"', open + 1); place >= 0; place = text.indexOf('"', place + 1)) {
    let backslashes = 0
    while (text.charCodeAt(place - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return place
  }
  return text.length
}

/** Returns the number of elements of a JSON array; null if the text is not an array. */
export function countElements(text: string): number | null {
  const elements = splitArray(text)
  for (let count = 0; ; count++) {
    const { done, value } = elements.next()
    if (done) return value ? count : null
  }
}
