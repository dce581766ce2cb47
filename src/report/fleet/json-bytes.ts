const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/** Integers below this are written digit by digit; the runtime writes larger ones. */
const PLAIN_BELOW = 1e9
const POWERS_OF_TEN = [1, 10, 100, 1000, 10_000, 100_000, 1e6, 1e7] as const

/** Longest text of one number: sign, 16 digits, point. */
const NUMBER_BYTES = 24

/** ASCII text that is written often, such as the name of a field, as words of four bytes, padded with zeros. */
export class Literal {
  readonly words: Int32Array
  readonly length: number

  constructor(ascii: string) {
    const padded = Buffer.alloc(Math.ceil(ascii.length / 4) * 4)
    padded.write(ascii, 'latin1')
    this.words = Int32Array.from({ length: padded.length / 4 }, (_, index) => padded.readInt32LE(index * 4))
    this.length = ascii.length
  }
}

/** Concatenated texts in UTF-8: the n-th is `bytes` from `starts[n]` up to, but not including, `starts[n + 1]`. */
export interface Texts {
  bytes: Uint8Array
  starts: Int32Array
}

/** Returns the text before the value of a field that is not the first. */
export function labelOf(name: string): Literal {
  return new Literal(`,"${name}":`)
}

/** Appends the n-th of some texts. */
export const appendNth = (out: JsonBytes, { bytes, starts }: Texts, nth: number): void =>
  out.append(bytes, starts[nth], starts[nth + 1])

/** A buffer of up to this many bytes is never given back. */
const KEPT_BYTES = 1024 * 1024

/** Writes JSON text as bytes from beginning to end, so that large answers need no string. Its buffer grows at need. */
export class JsonBytes {
  #bytes = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)
  #end = 0

  /** Starts a new text, with room for about this many bytes. */
  begin(bytes: number): this {
    this.#end = 0
    // Used memory costs less than fresh memory. A buffer that is much too large is given back.
    if (this.#bytes.length > Math.max(KEPT_BYTES, 4 * bytes)) this.#take(new Uint8Array(0))
    this.#reserve(bytes)
    return this
  }

  #take(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }

  literal({ words, length }: Literal): void {
    this.#reserve(length + 3) // The last word may extend past the text; the next write overwrites it.
    const view = this.#view
    for (let index = 0; index < words.length; index++) view.setInt32(this.#end + index * 4, words[index], true)
    this.#end += length
  }

  /** Appends a part of `text`, which is JSON in UTF-8. */
  append(text: Uint8Array, from = 0, to = text.length): void {
    this.#reserve(to - from)
    const bytes = this.#bytes
    let end = this.#end
    for (let index = from; index < to; index++) bytes[end++] = text[index]
    this.#end = end
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = byte
  }

  /** Writes an integer between -(2^53) and 2^53 as JSON.stringify does. */
  integer(value: number): void {
    this.#reserve(NUMBER_BYTES)
    if (value < 0) this.#bytes[this.#end++] = MINUS
    const magnitude = Math.abs(value)
    if (magnitude < PLAIN_BELOW) this.#digits(magnitude, digitsOf(magnitude))
    else for (const digit of String(magnitude)) this.#bytes[this.#end++] = digit.charCodeAt(0)
  }

  /**
   * Writes `scaled / 10^places` as JSON.stringify does, without trailing zeros. `places` is 0 to 7. If it is not 0,
   * `scaled` is an integer of at most 15 digits, so that the double nearest to the quotient has these digits.
   */
  decimal(scaled: number, places: number): void {
    const unit = POWERS_OF_TEN[places]
    const magnitude = Math.abs(scaled)
    let whole = Math.floor(magnitude / unit)
    // The division may have rounded up, as in roundedQuotient.
    if (whole * unit > magnitude) whole--
    if (scaled < 0) this.byte(MINUS)
    this.integer(whole)
    let fraction = (magnitude - whole * unit) | 0
    if (fraction === 0) return
    let digits: number = places
    for (let tens = (fraction / 10) | 0; tens * 10 === fraction; tens = (fraction / 10) | 0) {
      fraction = tens
      digits--
    }
    this.byte(POINT)
    this.#digits(fraction, digits)
  }

  /** Writes exactly `digits` digits, with leading zeros if the value has fewer. */
  #digits(value: number, digits: number): void {
    this.#reserve(NUMBER_BYTES)
    const bytes = this.#bytes
    let rest = value | 0
    for (let place = this.#end + digits - 1; place >= this.#end; place--) {
      const tens = (rest / 10) | 0
      bytes[place] = ZERO + rest - tens * 10
      rest = tens
    }
    this.#end += digits
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#end + more))
    grown.set(this.#bytes)
    this.#take(grown)
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#end
  }

  /** Returns what was written, in a buffer of its own of exactly that length. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#end)
  }
}

function digitsOf(magnitude: number): number {
  let digits = 1
  for (let bound = 10; magnitude >= bound; bound *= 10) digits++
  return digits
}
