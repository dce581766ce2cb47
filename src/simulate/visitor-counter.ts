import type { Random } from './random.ts'

const RESTARTS_A_REPORT = 1 / 700

/** A sensor's running total, as sold second-hand: it starts anywhere and now and then begins again at 0. */
export class VisitorCounter {
  #total: number

  constructor(random: Random) {
    this.#total = random.below(50_000)
  }

  /** The total after that many more visitors. */
  count(visitors: number, random: Random): number {
    if (random.chance(RESTARTS_A_REPORT)) this.#total = 0
    this.#total += visitors
    return this.#total
  }
}
