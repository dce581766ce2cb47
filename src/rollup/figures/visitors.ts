import type { DeviceDay } from '../../summary/device-day.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'

/** `visitorCount`: counts, plus the increases of a running total; a total below the last one has restarted from 0. */
export class Visitors implements Figure {
  readonly #trace: FoldTrace | null
  #lastTotal = -1
  #visitors = 0

  constructor(trace: FoldTrace | null) {
    this.#trace = trace
  }

  resume(before: DeviceDay | null): void {
    this.#lastTotal = before === null ? -1 : before.lastTotal
  }

  startDay(): void {
    this.#visitors = 0
  }

  count(visitors: number): void {
    this.#visitors += visitors
    this.#trace?.visitors(visitors)
  }

  /** The first total ever seen gives 0: how many of it came before is not known. */
  total(total: number): void {
    const last = this.#lastTotal
    const increase = last < 0 ? 0 : total < last ? total : total - last
    this.#visitors += increase
    this.#trace?.visitors(increase, last)
    this.#lastTotal = total
  }

  finishDay(into: DeviceDay): void {
    into.visitors = this.#visitors
    into.lastTotal = this.#lastTotal
  }
}
