import { numberEnd, scanNumber } from './number'

const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
const BACKSLASH: u8 = 0x5c
const OPEN_BRACKET: u8 = 0x5b
const CLOSE_BRACKET: u8 = 0x5d
const OPEN_BRACE: u8 = 0x7b
const CLOSE_BRACE: u8 = 0x7d
const SMALL_F: u8 = 0x66
const SMALL_N: u8 = 0x6e
const SMALL_T: u8 = 0x74
const SMALL_U: u8 = 0x75

/** Deepest nesting that is read. Deeper values are left to JSON.parse, so that no line can exhaust the stack. */
const DEEPEST: i32 = 64

/** By byte: 1 if it stands for itself in a string, that is, if it is not a quote, backslash or control character. */
const PLAIN: usize = memory.data(256, 16)

/** What PLAIN was made for: -1 nothing yet, 0 bytes that are not UTF-8, 1 UTF-8. */
let plainOf: i32 = -1

/** Sets up PLAIN for the next lines. If they are not UTF-8, only ASCII bytes are plain. */
export function setPlain(isUtf8: bool): void {
  if (plainOf === i32(isUtf8)) return
  plainOf = i32(isUtf8)
  for (let byte = 0; byte < 256; byte++) {
    const isPlain = byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH && (isUtf8 || byte < 0x80)
    store<u8>(PLAIN + byte, u8(isPlain))
  }
}

export function isPlain(byte: u8): bool {
  return load<u8>(PLAIN + byte) === 1
}

/**
 * Tells whether eight bytes, read as an integer, are ASCII without quotes, backslashes and control characters. A quote
 * becomes 0 by the exclusive or, so subtracting 1 sets its highest bit; subtracting a space does so for a control
 * character. A borrow can only spoil bytes above one that was already found.
 */
export function arePlainAscii(word: u64): bool {
  const quotes = (word ^ 0x22_22_22_22_22_22_22_22) - 0x01_01_01_01_01_01_01_01
  const backslashes = (word ^ 0x5c_5c_5c_5c_5c_5c_5c_5c) - 0x01_01_01_01_01_01_01_01
  const controls = word - 0x20_20_20_20_20_20_20_20
  return ((quotes | backslashes | controls | word) & 0x80_80_80_80_80_80_80_80) === 0
}

/** Returns the place of the first byte from `from` on that is no space, tab or carriage return; stops at line feeds. */
export function skipBlanks(from: usize): usize {
  let position = from
  let byte = load<u8>(position)
  while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = load<u8>(++position)
  return position
}

// Every function below returns the place after the value that begins at `from`, or 0 if that is not JSON or is left
// to JSON.parse.

/** Skips a string without escapes whose text begins at `from`, after the quote. */
export function skipPlainString(from: usize): usize {
  let position = from
  while (isPlain(load<u8>(position))) position++
  return load<u8>(position) === QUOTE ? position + 1 : 0
}

/** Skips a string whose text begins at `from`, after the quote. */
export function skipString(from: usize): usize {
  let position = from
  for (let byte = load<u8>(position); byte !== QUOTE; byte = load<u8>(position)) {
    if (isPlain(byte)) position++
    else if (byte === BACKSLASH) position = skipEscape(position)
    else return 0
    if (position === 0) return 0
  }
  return position + 1
}

function skipEscape(backslash: usize): usize {
  switch (load<u8>(backslash, 1)) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // solidus
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return backslash + 2
    case SMALL_U:
      for (let digit: usize = 2; digit < 6; digit++) if (!isHexDigit(load<u8>(backslash + digit))) return 0
      return backslash + 6
    default:
      return 0
  }
}

function isHexDigit(byte: u8): bool {
  if (byte >= 0x30 && byte <= 0x39) return true
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66
}

export function skipTrue(from: usize): usize {
  return load<u32>(from) === 0x65_75_72_74 ? from + 4 : 0
}

export function skipFalse(from: usize): usize {
  return load<u32>(from, 1) === 0x65_73_6c_61 ? from + 5 : 0
}

export function skipNull(from: usize): usize {
  return load<u32>(from) === 0x6c_6c_75_6e ? from + 4 : 0
}

/** Skips any value. */
export function skipValue(from: usize, depth: i32 = 0): usize {
  switch (load<u8>(from)) {
    case QUOTE:
      return skipString(from + 1)
    case OPEN_BRACE:
      return depth < DEEPEST ? skipObject(from, depth + 1) : 0
    case OPEN_BRACKET:
      return depth < DEEPEST ? skipArray(from, depth + 1) : 0
    case SMALL_T:
      return skipTrue(from)
    case SMALL_F:
      return skipFalse(from)
    case SMALL_N:
      return skipNull(from)
    default:
      return isNaN(scanNumber(from)) ? 0 : numberEnd
  }
}

function skipArray(from: usize, depth: i32): usize {
  const first = skipBlanks(from + 1)
  if (load<u8>(first) === CLOSE_BRACKET) return first + 1
  let position = from
  do {
    position = skipValue(skipBlanks(position + 1), depth)
    if (position === 0) return 0
    position = skipBlanks(position)
  } while (load<u8>(position) === COMMA)
  return load<u8>(position) === CLOSE_BRACKET ? position + 1 : 0
}

function skipObject(from: usize, depth: i32): usize {
  const first = skipBlanks(from + 1)
  if (load<u8>(first) === CLOSE_BRACE) return first + 1
  let position = from
  do {
    const name = skipBlanks(position + 1)
    position = load<u8>(name) === QUOTE ? skipString(name + 1) : 0
    if (position === 0) return 0
    position = skipBlanks(position)
    if (load<u8>(position) !== COLON) return 0
    position = skipValue(skipBlanks(position + 1), depth)
    if (position === 0) return 0
    position = skipBlanks(position)
  } while (load<u8>(position) === COMMA)
  return load<u8>(position) === CLOSE_BRACE ? position + 1 : 0
}
