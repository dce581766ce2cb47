import type { DeviceIds } from './scan-ids.ts'
import { scanEpochMs, scanInstant } from './scan-instant.ts'
import { FIELD_COUNT, FIELD_LENGTHS, Field, fieldAt, TYPE_LENGTHS, Type, typeAt } from './scan-keys.ts'
import { type Cursor, scanNumber } from './scan-number.ts'
import { PLAIN_ASCII, PLAIN_UTF8, skipBlanks, skipString, ValueSkipper } from './scan-skip.ts'

const LINE_FEED = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const COLON = 0x3a
const SMALL_F = 0x66
const SMALL_N = 0x6e
const SMALL_T = 0x74
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

// What other modules export is looked up anew whenever it is used, which is felt here: hence constants of this module.
const { other: OTHER, deviceId: DEVICE_ID, type: TYPE, at: AT } = Field
const NAME_LENGTHS = FIELD_LENGTHS
const TYPE_NAME_LENGTHS = TYPE_LENGTHS
const NO_TYPE = Type.none

/** `true` and `alse`, as little-endian integers. */
const TRUE = 0x65_75_72_74
const ALSE = 0x65_73_6c_61

/**
 * One event after another, read where its bytes are: what its fields hold, each by its number in `Field`, and sets of
 * fields as a bit for each. Nothing is made for it, so an event holds until the next one is scanned.
 */
export class ScannedEvent implements Cursor {
  readonly bytes: Buffer
  /** Behind the line of the event. */
  position = 0
  /** Number of the device's id in the DeviceIds. */
  device = 0
  type: number = Type.none
  /** Fields that the event has, `Field.other` among them. */
  present = 0
  /** Fields by what they hold; `at` is among the numbers though it was text. A field with an array is in none. */
  numeric = 0
  textual = 0
  true = 0
  false = 0
  null = 0
  readonly numbers = new Float64Array(FIELD_COUNT)
  /** Texts, without their quotes; there may be escapes in them. */
  readonly textStarts = new Int32Array(FIELD_COUNT)
  readonly textEnds = new Int32Array(FIELD_COUNT)

  readonly #view: DataView
  readonly #ids: DeviceIds
  readonly #skipper: ValueSkipper
  #plain: Uint8Array = PLAIN_ASCII

  /** Lines are scanned in `bytes`, which must have 16 more bytes behind the last of them. */
  constructor(bytes: Buffer, ids: DeviceIds) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#ids = ids
    this.#skipper = new ValueSkipper(bytes, this.#view)
  }

  /** Whether the lines now in the bytes are well-formed UTF-8. Where they are not, only ASCII lines are scanned. */
  set isUtf8(isUtf8: boolean) {
    this.#plain = isUtf8 ? PLAIN_UTF8 : PLAIN_ASCII
  }

  /**
   * Reads the line that begins at `from` and ends with a line feed. False where it is for JSON.parse to say what it
   * holds: it is no JSON object, or is written in an uncommon way (a field of ours twice, escapes in the id or a key).
   *
   * One long function, since its sets of fields stay in registers then: in parts it takes a sixth longer.
   */
  scan(from: number): boolean {
    const { bytes, numbers } = this
    const view = this.#view
    if (bytes[from] !== OPEN_BRACE) return false
    let present = 0
    let numeric = 0
    let textual = 0
    let yes = 0
    let no = 0
    let nothing = 0
    let position = from + 1
    for (;;) {
      if (bytes[position] <= SPACE) position = skipBlanks(bytes, position)
      if (bytes[position] !== QUOTE) return false
      const field = fieldAt(view, position + 1)
      const bit = 1 << field
      if (field === OTHER) {
        position = this.#skipName(position + 1)
        if (position < 0) return false
      } else {
        // Of a field that comes twice JSON.parse takes the last.
        if ((present & bit) !== 0) return false
        position += NAME_LENGTHS[field] + 2
      }
      present |= bit
      if (bytes[position] <= SPACE) position = skipBlanks(bytes, position)
      if (bytes[position] !== COLON) return false
      let byte = bytes[++position]
      if (byte <= SPACE) {
        position = skipBlanks(bytes, position)
        byte = bytes[position]
      }
      if (field === DEVICE_ID) {
        position = this.#scanDeviceId(position)
      } else if (field === TYPE) {
        position = this.#scanType(position)
      } else if (field === AT) {
        position = this.#scanAt(position)
        numeric |= bit
      } else if (byte === MINUS || (byte ^ ZERO) <= 9) {
        const value = scanNumber(bytes, position, this)
        numbers[field] = value
        numeric |= bit
        position = Number.isNaN(value) ? -1 : this.position
      } else if (byte === QUOTE) {
        position = this.#scanText(field, position + 1)
        textual |= bit
      } else if (byte === SMALL_T) {
        position = view.getInt32(position, true) === TRUE ? position + 4 : -1
        yes |= bit
      } else if (byte === SMALL_F) {
        position = view.getInt32(position + 1, true) === ALSE ? position + 5 : -1
        no |= bit
      } else {
        if (byte === SMALL_N) nothing |= bit
        position = this.#skipper.skip(position, this.#plain)
      }
      if (position < 0) return false
      byte = bytes[position]
      if (byte <= SPACE) {
        position = skipBlanks(bytes, position)
        byte = bytes[position]
      }
      position++
      if (byte === COMMA) continue
      if (byte !== CLOSE_BRACE) return false
      break
    }
    this.present = present
    this.numeric = numeric
    this.textual = textual
    this.true = yes
    this.false = no
    this.null = nothing
    if (bytes[position] !== LINE_FEED) position = skipBlanks(bytes, position)
    this.position = position + 1
    return bytes[position] === LINE_FEED
  }

  #scanDeviceId(quote: number): number {
    const { bytes } = this
    const view = this.#view
    const plain = this.#plain
    if (bytes[quote] !== QUOTE) return -1
    const start = quote + 1
    let position = start
    let hash = 0
    let word = view.getInt32(position, true)
    while (isPlainAscii(word)) {
      hash = Math.imul(hash ^ word, 0x9e3779b1)
      hash ^= hash >>> 15
      position += 4
      word = view.getInt32(position, true)
    }
    while (plain[bytes[position]] === 1) hash = (Math.imul(hash, 31) + bytes[position++]) | 0
    if (bytes[position] !== QUOTE) return -1
    this.device = this.#ids.numberOf(start, position, hash)
    return this.device < 0 ? -1 : position + 1
  }

  #scanType(quote: number): number {
    if (this.bytes[quote] !== QUOTE) return -1
    const type = typeAt(this.#view, quote + 1)
    this.type = type
    return type === NO_TYPE ? -1 : quote + TYPE_NAME_LENGTHS[type] + 2
  }

  #scanAt(from: number): number {
    const { bytes } = this
    let at: number
    if (bytes[from] === QUOTE) {
      at = scanInstant(bytes, from + 1, this)
    } else {
      at = scanEpochMs(this.#view, from, this)
      if (Number.isNaN(at)) at = scanNumber(bytes, from, this)
    }
    this.numbers[AT] = at
    return Number.isNaN(at) ? -1 : this.position
  }

  #scanText(field: number, from: number): number {
    const end = skipString(this.bytes, from, this.#plain)
    this.textStarts[field] = from
    this.textEnds[field] = end - 1
    return end
  }

  /** Behind the quote that ends a name; -1 where it has escapes, since it may be the name of a field of ours. */
  #skipName(from: number): number {
    const { bytes } = this
    const plain = this.#plain
    let position = from
    while (plain[bytes[position]] === 1) position++
    return bytes[position] === QUOTE ? position + 1 : -1
  }
}

/**
 * Whether four bytes, read as an integer, are ASCII and neither quotes, backslashes nor control characters. A quote
 * less a quote (by exclusive or) less one, or a control character less a blank, has its highest bit set; and a byte
 * beyond ASCII has its own in at least one of these differences. What borrows spoils only what is above a byte that is
 * found already.
 */
function isPlainAscii(word: number): boolean {
  const quotes = (word ^ 0x22_22_22_22) - 0x01_01_01_01
  const backslashes = (word ^ 0x5c_5c_5c_5c) - 0x01_01_01_01
  const controls = word - 0x20_20_20_20
  return ((quotes | backslashes | controls) & 0x80_80_80_80) === 0
}
