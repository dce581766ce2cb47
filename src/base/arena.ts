/** Bytes of the first block. Each further one has twice as many, up to MOST_BLOCK_BYTES, or as many as are asked for. */
const FIRST_BLOCK_BYTES = 16 * 1024
const MOST_BLOCK_BYTES = 4 * 1024 * 1024
/** Blocks beyond so many bytes are given back to the system when the arena is cleared. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024

/**
 * Hands out typed arrays in memory that is used again. Fresh memory costs more than most work on it: the system clears
 * it page by page, and the garbage collector counts it. Use it for arrays of many values that live until a known point.
 */
export class Arena {
  readonly #blocks: ArrayBuffer[] = []
  /** The block in use, and how many of its bytes are. */
  #block = 0
  #used = 0

  /** Takes all arrays back: their memory is handed out again, so nobody may read them any more. */
  clear(): void {
    let bytes = 0
    const kept = this.#blocks.findIndex((block) => (bytes += block.byteLength) > MOST_KEPT_BYTES)
    if (kept >= 0) this.#blocks.length = kept
    this.#block = 0
    this.#used = 0
  }

  /** Returns an array whose values are whatever was there before. */
  int32(length: number): Int32Array {
    return new Int32Array(this.#blockFor(length * 4), this.#take(length * 4), length)
  }

  /** Returns an array whose values are whatever was there before. */
  uint8(length: number): Uint8Array {
    return new Uint8Array(this.#blockFor(length), this.#take(length), length)
  }

  #blockFor(bytes: number): ArrayBuffer {
    const block = this.#blocks[this.#block]
    if (block !== undefined && this.#used + bytes <= block.byteLength) return block
    if (this.#used > 0) this.#block++
    this.#used = 0
    const next = this.#blocks[this.#block]
    if (next !== undefined && bytes <= next.byteLength) return next
    const usual = Math.min(FIRST_BLOCK_BYTES * 2 ** this.#block, MOST_BLOCK_BYTES)
    // Somewhat larger than asked for, as it is often asked for a little more the next time.
    return (this.#blocks[this.#block] = new ArrayBuffer(Math.max(usual, Math.ceil(bytes / 4) * 5)))
  }

  #take(bytes: number): number {
    const start = this.#used
    this.#used += Math.ceil(bytes / 8) * 8
    return start
  }
}
