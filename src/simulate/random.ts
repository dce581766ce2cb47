/**
 * A seeded source of draws (sfc32): the same seed and stream give the same draws on every machine. Every cooler has a
 * stream of its own, so that its life does not hang on how many others there are.
 *
 * Only additions, multiplications and comparisons of doubles: nothing whose last digit an engine may choose.
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

  /** From 0 inclusive to 1 exclusive, in steps of 2^-32. */
  uniform(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }

  /** An integer from 0 to `bound` - 1; `bound` from 1 to 2^32. */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound)
  }

  chance(probability: number): boolean {
    return this.uniform() < probability
  }

  /** From `low` inclusive to `high` exclusive. */
  between(low: number, high: number): number {
    return low + this.uniform() * (high - low)
  }

  /** An integer from 0 on that is `mean` on average: evenly spread up to twice the mean. */
  around(mean: number): number {
    return Math.floor(this.uniform() * 2 * mean + this.uniform())
  }

  /** Bell-shaped with mean 0 and standard deviation 1, never beyond ±3.5: the sum of four even draws. */
  normal(): number {
    return (this.uniform() + this.uniform() + this.uniform() + this.uniform() - 2) * 1.7320508075688772
  }
}
