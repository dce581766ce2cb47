import { type Cursor, scanNumber } from './scan-number.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SMALL_U = 0x75

/** Deeper values are left to JSON.parse, so that no line can exhaust the stack. */
const DEEPEST = 64

/** Bytes that stand for themselves in a string, as 1: all but the quote, the backslash and control characters. */
export const PLAIN_UTF8 = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)
/** The same, for bytes that are no UTF-8: there nothing beyond ASCII is sure. */
export const PLAIN_ASCII = PLAIN_UTF8.map((plain, byte) => (byte < 0x80 ? plain : 0))

/** What may follow a backslash, `u` aside, as 1. */
const ESCAPES = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1
const HEX_DIGITS = new Uint8Array(256)
for (const digit of Buffer.from('0123456789abcdefABCDEF')) HEX_DIGITS[digit] = 1

/** The first byte from `from` on that is no blank, tab or carriage return. (A line feed is no part of a line.) */
export function skipBlanks(bytes: Buffer, from: number): number {
  let position = from
  for (;;) {
    const byte = bytes[position]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return position
    position++
  }
}

/** The end of the string whose text begins at `from`: the place behind its closing quote; -1 where it is none. */
export function skipString(bytes: Buffer, from: number, plain: Uint8Array): number {
  let position = from
  for (;;) {
    while (plain[bytes[position]] === 1) position++
    const byte = bytes[position]
    if (byte === QUOTE) return position + 1
    if (byte !== BACKSLASH) return -1
    position = skipEscape(bytes, position)
    if (position < 0) return -1
  }
}

function skipEscape(bytes: Buffer, backslash: number): number {
  const byte = bytes[backslash + 1]
  if (ESCAPES[byte] === 1) return backslash + 2
  if (byte !== SMALL_U) return -1
  for (let digit = backslash + 2; digit < backslash + 6; digit++) if (HEX_DIGITS[bytes[digit]] === 0) return -1
  return backslash + 6
}

/** The end of `true`, `false` or `null`, or -1. */
export function skipWord(view: DataView, from: number): number {
  switch (view.getInt32(from, true)) {
    case 0x65757274: // true
    case 0x6c6c756e: // null
      return from + 4
    case 0x736c6166: // fals
      return view.getUint8(from + 4) === 0x65 ? from + 5 : -1
    default:
      return -1
  }
}

/**
 * Skips values that nothing is wanted of, without making them. Every `...At` gives the place behind what begins at
 * `from`, or -1 where that is no JSON, or is too deep: then JSON.parse must be asked.
 */
export class ValueSkipper {
  readonly #bytes: Buffer
  readonly #view: DataView
  readonly #cursor: Cursor = { position: 0 }

  constructor(bytes: Buffer, view: DataView) {
    this.#bytes = bytes
    this.#view = view
  }

  skip(from: number, plain: Uint8Array, depth = 0): number {
    const bytes = this.#bytes
    switch (bytes[from]) {
      case QUOTE:
        return skipString(bytes, from + 1, plain)
      case OPEN_BRACE:
        return depth < DEEPEST ? this.#skipObject(from, plain, depth + 1) : -1
      case OPEN_BRACKET:
        return depth < DEEPEST ? this.#skipArray(from, plain, depth + 1) : -1
      case 0x74: // true
      case 0x66: // false
      case 0x6e: // null
        return skipWord(this.#view, from)
      default:
        return Number.isNaN(scanNumber(bytes, from, this.#cursor)) ? -1 : this.#cursor.position
    }
  }

  #skipArray(from: number, plain: Uint8Array, depth: number): number {
    const bytes = this.#bytes
    let position = skipBlanks(bytes, from + 1)
    if (bytes[position] === CLOSE_BRACKET) return position + 1
    for (;;) {
      position = this.skip(position, plain, depth)
      if (position < 0) return -1
      position = skipBlanks(bytes, position)
      if (bytes[position] === CLOSE_BRACKET) return position + 1
      if (bytes[position] !== COMMA) return -1
      position = skipBlanks(bytes, position + 1)
    }
  }

  #skipObject(from: number, plain: Uint8Array, depth: number): number {
    const bytes = this.#bytes
    let position = skipBlanks(bytes, from + 1)
    if (bytes[position] === CLOSE_BRACE) return position + 1
    for (;;) {
      if (bytes[position] !== QUOTE) return -1
      position = skipString(bytes, position + 1, plain)
      if (position < 0) return -1
      position = skipBlanks(bytes, position)
      if (bytes[position] !== COLON) return -1
      position = this.skip(skipBlanks(bytes, position + 1), plain, depth)
      if (position < 0) return -1
      position = skipBlanks(bytes, position)
      if (bytes[position] === CLOSE_BRACE) return position + 1
      if (bytes[position] !== COMMA) return -1
      position = skipBlanks(bytes, position + 1)
    }
  }
}
