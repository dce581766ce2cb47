import type { Random } from './random.ts'

const RESTARTS_A_REPORT = 1 / 700

/** A sensor's running total. It starts at any value, like that of a used sensor, and occasionally restarts at 0. */
export class VisitorCounter {
  #total: number

  constructor(random: Random) {
    this.#total = random.below(50_000)
  }

  /** Adds visitors and returns the new total. */
  count(visitors: number, random: Random): number {
    if (random.chance(RESTARTS_A_REPORT)) this.#total = 0
    this.#total += visitors
    return this.#total
  }
}
