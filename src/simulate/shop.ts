import type { Random } from './random.ts'
import { SLOT_MINUTES, type Slot } from './slot.ts'

/** Visitors during one slot at a shop of average popularity, by hour of the local day. */
const VISITORS_BY_HOUR = [
  0.1, 0.1, 0.1, 0.1, 0.2, 0.5, 1.2, 2.4, 3.2, 2.4, 2.2, 2.8, 4, 3.8, 2.4, 2.2, 2.6, 3.8, 4.4, 3.6, 2.4, 1.6, 0.9, 0.4,
]

/** The shop around a cooler: opening hours on the local clock, and how many people come. */
export class Shop {
  readonly #opensAtMinute: number
  readonly #closesAtMinute: number
  readonly #closedOnSunday: boolean
  readonly #popularity: number

  constructor(random: Random) {
    const always = random.chance(0.1)
    this.#opensAtMinute = always ? 0 : 360 + random.below(12) * SLOT_MINUTES
    this.#closesAtMinute = always ? 1440 : 1140 + random.below(17) * SLOT_MINUTES
    this.#closedOnSunday = !always && random.chance(0.15)
    this.#popularity = random.between(0.4, 1.6)
  }

  isOpen(slot: Slot): boolean {
    if (this.#closedOnSunday && slot.sunday) return false
    return slot.minuteOfDay >= this.#opensAtMinute && slot.minuteOfDay < this.#closesAtMinute
  }

  /** Draws how many people come by the cooler in a slot in which the shop is open. */
  visitors(slot: Slot, random: Random): number {
    return random.around(VISITORS_BY_HOUR[slot.hour] * this.#popularity)
  }
}
