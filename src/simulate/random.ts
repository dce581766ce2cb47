/**
 * A seeded random number generator (sfc32): the same seed and stream give the same draws on every machine. Every cooler
 * has its own stream, so that its events do not depend on how many other coolers there are.
 *
 * Uses only additions, multiplications and comparisons of doubles, whose results are the same on every engine.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** `seed`: an integer within ±2^53. `stream`: an integer from 0 to 2^32-1. */
  constructor(seed: number, stream: number) {
    this.#a = seed | 0
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0
    this.#c = stream | 0
    for (let round = 0; round < 15; round++) this.uniform()
  }

  /** Returns a number from 0 inclusive to 1 exclusive, in steps of 2^-32. */
  uniform(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }

  /** Returns an integer from 0 to `bound` - 1; `bound` is from 1 to 2^32. */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound)
  }

  chance(probability: number): boolean {
    return this.uniform() < probability
  }

  /** Returns a number from `low` inclusive to `high` exclusive. */
  between(low: number, high: number): number {
    return low + this.uniform() * (high - low)
  }

  /** Returns an integer of 0 or more that is `mean` on average: evenly spread up to twice the mean. */
  around(mean: number): number {
    return Math.floor(this.uniform() * 2 * mean + this.uniform())
  }

  /** Returns a bell-shaped draw with mean 0 and standard deviation 1, within ±3.5: the sum of four uniform draws. */
  normal(): number {
    return (this.uniform() + this.uniform() + this.uniform() + this.uniform() - 2) * 1.7320508075688772
  }
}
