import type { TelemetryEvent } from '../event/telemetry-event.ts'

/** The events of one cooler in one slot, in order of time. One report is reused, to save garbage collection. */
export class Report {
  readonly events: TelemetryEvent[] = []
  readonly #instants: number[] = []
  #end = Infinity

  /** Empties the report; from now on, events at `end` (epoch ms) or later are left out. */
  begin(end: number): void {
    this.clear()
    this.#end = end
  }

  clear(): void {
    this.events.length = 0
    this.#instants.length = 0
  }

  /** Adds an event in order of time; events of the same instant keep the order in which they were added. */
  add(at: number, event: TelemetryEvent): void {
    if (at >= this.#end) return
    let place = this.events.length
    while (place > 0 && this.#instants[place - 1] > at) {
      this.events[place] = this.events[place - 1]
      this.#instants[place] = this.#instants[place - 1]
      place--
    }
    this.events[place] = event
    this.#instants[place] = at
  }
}
