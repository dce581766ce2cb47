/** Greater memory is given back to the system when the arrays are taken back, as it is seldom needed again. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024

/**
 * Hands out typed arrays in memory that is used again. Fresh memory costs more than most work on it: the system clears
 * it page by page, and the garbage collector counts it. Use it for arrays of many values that live until a known point.
 */
export class Arena {
  #memory = new ArrayBuffer(0)
  #used = 0

  /** Takes all arrays back: their memory is handed out again, so nobody may read them any more. */
  clear(): void {
    this.#used = 0
    if (this.#memory.byteLength > MOST_KEPT_BYTES) this.#memory = new ArrayBuffer(0)
  }

  /** Makes room for arrays of so many bytes in all, so that the memory does not grow while they are made. */
  reserve(bytes: number): void {
    this.#memoryFor(bytes)
  }

  /** Returns an array whose values are whatever was there before. */
  int32(length: number): Int32Array {
    return new Int32Array(this.#memoryFor(length * 4), this.#take(length * 4), length)
  }

  /** Returns an array whose values are whatever was there before. */
  uint8(length: number): Uint8Array {
    return new Uint8Array(this.#memoryFor(length), this.#take(length), length)
  }

  /** Returns an array whose values are whatever was there before. */
  float64(length: number): Float64Array {
    return new Float64Array(this.#memoryFor(length * 8), this.#take(length * 8), length)
  }

  #memoryFor(bytes: number): ArrayBuffer {
    if (this.#used + bytes > this.#memory.byteLength) {
      // Arrays handed out before keep the old memory alive.
      this.#memory = new ArrayBuffer(Math.max(2 * this.#memory.byteLength, bytes))
      this.#used = 0
    }
    return this.#memory
  }

  #take(bytes: number): number {
    const start = this.#used
    this.#used += Math.ceil(bytes / 8) * 8
    return start
  }
}
