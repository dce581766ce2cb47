import type { DeviceDay } from '../../store/device-day.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'
import { count } from './statement.ts'

export const VISITOR_COUNT = count('visitors', {
  reading: 'visitors',
  origin: 'counter',
  unit: 'visitors',
  meaning: 'sum of the visitors counted, and of the increases of running totals',
  example: 42,
  heading: 'visitors',
  importance: 7,
})

/**
 * Tells whether a running total has restarted from 0 since the last one (RULES.md 3), that is, whether it is below nine
 * tenths of it. A drop of no more than a tenth is a sensor that flickers.
 */
export const hasRestarted = (last: number, total: number): boolean => (last - total) * 10 > last

/** Sums visitor counts and the increases of a running total. */
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

  resumeDay(rollup: DeviceDay): void {
    this.resume(rollup)
    this.#visitors = rollup.visitors
  }

  count(visitors: number): void {
    this.#visitors += visitors
    this.#trace?.visitors(visitors)
  }

  /**
   * Takes a running total. The first total ever seen adds 0, because it includes visitors from before. A drop of no
   * more than a tenth adds 0 too, and the next total is compared with the one before the drop.
   */
  total(total: number): void {
    const last = this.#lastTotal
    const restarted = last >= 0 && hasRestarted(last, total)
    const increase = last < 0 ? 0 : restarted ? total : Math.max(0, total - last)
    this.#visitors += increase
    this.#trace?.visitors(increase, last)
    if (restarted || total > last) this.#lastTotal = total
  }

  finishDay(into: DeviceDay): void {
    into.visitors = this.#visitors
    into.lastTotal = this.#lastTotal
  }
}
