const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/** Cost for JSON.parse, in time and memory, of an array or object and of a field name. A plain value costs 1. */
const CONTAINER_COST = 10
const NAME_COST = 2

/**
 * Estimates the cost of parsing JSON text, or lines of it: each array and object costs 10, each field name 2, each
 * further value 1. Reads the bytes once and builds nothing, which takes about 1 ms a MiB. For invalid JSON the estimate
 * holds up to the first fault, where JSON.parse stops reading.
 */
export class ParsingCost {
  readonly #most: number
  #cost = 0
  #isText = false
  #isEscaped = false

  constructor(most: number) {
    this.#most = most
  }

  /** Adds the next bytes of a text. Returns false as soon as the total cost exceeds the limit. */
  add(bytes: Uint8Array): boolean {
    const most = this.#most
    let cost = this.#cost
    let isText = this.#isText
    let at = this.#isEscaped ? 1 : 0
    for (; at < bytes.length && cost <= most; at++) {
      const byte = bytes[at]
      if (isText) {
        if (byte === BACKSLASH) at++
        // A JSON string never contains a line feed, so a line feed ends a broken string.
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

/** Tells whether parsing a whole text costs at most `most` (ParsingCost). */
export const isCheapToParse = (bytes: Uint8Array, most: number): boolean =>
  // The most expensive text consists of brackets alone.
  bytes.length * CONTAINER_COST <= most || new ParsingCost(most).add(bytes)
