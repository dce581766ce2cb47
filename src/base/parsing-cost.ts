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
 * What it would cost to parse JSON text, or lines of it: each array and object costs 10, each field name 2, each further
 * value 1. Reads the bytes once and builds nothing, some 1 ms for a MiB. Text that is not JSON is weighed up to
 * its first fault, which is as far as JSON.parse reads.
 */
export class ParsingCost {
  readonly #most: number
  #cost = 0
  #isText = false
  #isEscaped = false

  constructor(most: number) {
    this.#most = most
  }

  /** Weighs the next bytes of a text; false as soon as all so far costs more than it may. */
  add(bytes: Uint8Array): boolean {
    const most = this.#most
    let cost = this.#cost
    let isText = this.#isText
    let at = this.#isEscaped ? 1 : 0
    for (; at < bytes.length && cost <= most; at++) {
      const byte = bytes[at]
      if (isText) {
        if (byte === BACKSLASH) at++
        // A text of JSON never holds a line feed: the next line begins anew.
        else if (byte === QUOTE || byte === LINE_FEED) isText = false
      } else if (byte === QUOTE) {
        isText = true
      } else if (byte === COMMA) {
        cost++
      } else if (byte === COLON) {
        cost += NAME_COST
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        cost += CONTAINER_COST
      }
    }
    this.#cost = cost
    this.#isText = isText
    this.#isEscaped = at > bytes.length
    return cost <= most
  }
}

/** Whether a whole text costs no more than `most` to parse (ParsingCost). */
export const isCheapToParse = (bytes: Uint8Array, most: number): boolean =>
  // The densest text is all brackets.
  bytes.length * CONTAINER_COST <= most || new ParsingCost(most).add(bytes)
