import type { DeviceDay } from '../../summary/device-day.ts'
import type { Figure } from './figure.ts'

/** `visitorCount`: counts, plus the increases of a running total; a total below the last one has restarted from 0. */
export class Visitors implements Figure {
  #lastTotal = -1
  #visitors = 0

  resume(before: DeviceDay | null): void {
    this.#lastTotal = before === null ? -1 : before.lastTotal
  }

  startDay(): void {
    this.#visitors = 0
  }

  count(visitors: number): void {
    this.#visitors += visitors
  }

  /** The first total ever seen gives 0: how many of it came before is not known. */
  total(total: number): void {
    if (this.#lastTotal >= 0) this.#visitors += total < this.#lastTotal ? total : total - this.#lastTotal
    this.#lastTotal = total
  }

  finishDay(into: DeviceDay): void {
    into.visitors = this.#visitors
    into.lastTotal = this.#lastTotal
  }
}
