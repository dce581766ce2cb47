import { millisecondsInHour, millisecondsInMinute } from '../base/time.ts'
import type { Random } from './random.ts'
import { SLOT_MS, SLOTS_A_DAY, type Slot } from './slot.ts'

const HEARTBEAT_SLOTS = 12
const OUTAGES_A_DAY = 1 / 12
const LONGEST_OUTAGE_MS = 8 * millisecondsInHour

export interface PowerReport {
  at: number
  on: boolean
}

const NOTHING: readonly PowerReport[] = []

/** The power of a cooler: occasional outages, nights off for some coolers, and a report of the state every 3 hours. */
export class Mains {
  #on = true
  #returnsAt = Infinity
  readonly #offOvernight: boolean
  readonly #firstSlot: number
  readonly #heartbeatPhase: number

  /** `firstSlot`: the number of the slot in which the cooler first reports its state. */
  constructor(firstSlot: number, random: Random) {
    this.#offOvernight = random.chance(0.04)
    this.#firstSlot = firstSlot
    this.#heartbeatPhase = random.below(HEARTBEAT_SLOTS)
  }

  /** Whether the power is on at the end of the last simulated slot. */
  get on(): boolean {
    return this.#on
  }

  /** Simulates one slot. Returns its power reports in order of time, all within the slot. */
  advance(slot: Slot, shopIsOpen: boolean, random: Random): readonly PowerReport[] {
    if (this.#returnsAt < slot.start + SLOT_MS) return [this.#switch(Math.max(slot.start, this.#returnsAt), true)]
    const inOutage = this.#returnsAt !== Infinity
    if (this.#offOvernight && !inOutage && this.#on !== shopIsOpen) {
      return [this.#switch(slot.start + random.below(SLOT_MS), shopIsOpen)]
    }
    if (this.#on && random.chance(OUTAGES_A_DAY / SLOTS_A_DAY)) return this.#fail(slot, random)
    const beats = slot.number % HEARTBEAT_SLOTS === this.#heartbeatPhase || slot.number === this.#firstSlot
    if (!beats) return NOTHING
    return [{ at: slot.start + random.below(SLOT_MS), on: this.#on }]
  }

  #fail(slot: Slot, random: Random): PowerReport[] {
    const at = slot.start + random.below(SLOT_MS)
    const skew = random.uniform()
    this.#returnsAt = at + millisecondsInMinute + Math.floor(skew * skew * skew * LONGEST_OUTAGE_MS)
    const failed = { at, on: false }
    this.#on = false
    return this.#returnsAt < slot.start + SLOT_MS ? [failed, this.#switch(this.#returnsAt, true)] : [failed]
  }

  #switch(at: number, on: boolean): PowerReport {
    this.#on = on
    this.#returnsAt = Infinity
    return { at, on }
  }
}
