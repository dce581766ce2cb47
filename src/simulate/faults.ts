import type { TelemetryEvent } from '../event/telemetry-event.ts'
import { invalidEvent } from './invalid-event.ts'
import type { Random } from './random.ts'
import { SLOTS_A_DAY } from './slot.ts'

/** An event as the fleet sends it. With faults, some are not valid telemetry events. */
export type SimulatedEvent = TelemetryEvent | Record<string, unknown>

const REPEATED = 0.005
const DAY_LATE = 0.001
const REPORT_SLOT_LATE = 0.02
const INVALID = 0.0005

/**
 * Simulates the way from the coolers to the queue: events come twice, a day late or a slot late, or are followed by an
 * invalid one. Nothing is lost and nothing valid is added, so a fleet has the same figures with and without faults.
 *
 * Holds the delayed events: about a thousandth of a day's events, and two slots of repeats and late reports.
 */
export class Faults {
  readonly #random: Random
  readonly #held = new Map<number, SimulatedEvent[]>()

  constructor(random: Random) {
    this.#random = random
  }

  get pending(): boolean {
    return this.#held.size > 0
  }

  /** Returns the events that were held until the slot of this number. They arrive after the slot's own events. */
  due(slotNumber: number): readonly SimulatedEvent[] {
    const due = this.#held.get(slotNumber) ?? []
    this.#held.delete(slotNumber)
    return due
  }

  /** Returns the events of a cooler's report that arrive at once, and holds the others until a later slot. */
  pass(report: readonly TelemetryEvent[], slotNumber: number): readonly SimulatedEvent[] {
    const reportDelay = this.#random.chance(REPORT_SLOT_LATE) ? 1 : 0
    const now: SimulatedEvent[] = []
    const send = (event: SimulatedEvent, delay: number): void => {
      if (delay === 0) now.push(event)
      else this.#hold(event, slotNumber + delay)
    }
    for (const event of report) {
      send(event, this.#random.chance(DAY_LATE) ? SLOTS_A_DAY : reportDelay)
      if (this.#random.chance(REPEATED)) send(event, reportDelay + this.#random.below(3))
      if (this.#random.chance(INVALID)) send(invalidEvent(event, this.#random), reportDelay)
    }
    return now
  }

  #hold(event: SimulatedEvent, slotNumber: number): void {
    const held = this.#held.get(slotNumber)
    if (held) held.push(event)
    else this.#held.set(slotNumber, [event])
  }
}
