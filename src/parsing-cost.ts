const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/** What an array or object, and the name of a field, costs JSON.parse in time and memory, in plain values. */
const CONTAINER_COST = 10
const NAME_COST = 2

/**
 * Returns whether JSON text, or lines of it, is cheap enough to be parsed: each array and object costs 10, each field
 * name 2, each further value `valueCost`; all together must not exceed `most`. Reads the bytes once and builds nothing:
 * some 30 ms for 32 MiB, and it stops at the limit. Text that is not JSON gets an answer up to its first fault, which is
 * as far as JSON.parse reads.
 */
export function isCheapToParse(bytes: Uint8Array, most: number, valueCost = 1): boolean {
  // The densest text is all brackets.
  if (bytes.length * CONTAINER_COST <= most) return true
  let cost = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at++
      // A text of JSON never holds a line feed: the next line begins anew.
      else if (byte === QUOTE || byte === LINE_FEED) isText = false
    } else if (byte === QUOTE) {
      isText = true
    } else if (byte === COMMA) {
      cost += valueCost
    } else if (byte === COLON) {
      cost += NAME_COST
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      cost += CONTAINER_COST
      if (cost > most) return false
    }
  }
  return cost <= most
}
