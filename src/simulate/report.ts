import type { TelemetryEvent } from '../event/telemetry-event.ts'

/** What one cooler has to tell of one slot, in order of time. One is filled again and again: it saves the garbage. */
export class Report {
  readonly events: TelemetryEvent[] = []
  readonly #instants: number[] = []
  #end = Infinity

  /** Empties it; events at `end` (epoch ms) or later are left out from now on. */
  begin(end: number): void {
    this.clear()
    this.#end = end
  }

  clear(): void {
    this.events.length = 0
    this.#instants.length = 0
  }

  /** Keeps the order of time; of one instant, the order of adding. */
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
