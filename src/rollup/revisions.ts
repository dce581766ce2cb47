import { isOpen, sameFigures } from '../store/device-day.ts'
import type { Cause, Revision } from '../store/revision.ts'
import type { CursorResult } from './cursor-context.ts'

/** Collects the settled device-days whose figures change in one pass over a shard. */
export class Revisions {
  readonly #lastRollupAt: number
  readonly #byDay = new Map<string, Revision>()

  /** @param lastRollupAt instant (epoch ms) of the shard's last rollup before this one; null before its first. */
  constructor(lastRollupAt: number | null) {
    this.#lastRollupAt = lastRollupAt ?? -Infinity
  }

  /**
   * Notes the result of a day; of two results of one day the later one holds. `heardSince` is when the device was first
   * heard (epoch ms), as known before the pass; undefined if the device is new.
   */
  note(result: CursorResult, heardSince: number | undefined, causes: () => readonly Cause[]): void {
    const { device, day, rollup, old } = result
    if (heardSince === undefined) return
    const settled = old === null ? this.#wasSettledEmpty(result, heardSince) : !isOpen(old)
    const key = `${device} ${day}`
    if (settled && !sameFigures(old, rollup)) this.#byDay.set(key, { device, day, causes: causes(), old })
    else if (this.#byDay.size > 0) this.#byDay.delete(key)
  }

  /**
   * Tells whether a day without a stored rollup had been settled as a day without data: it had closed by the last
   * rollup, and the device was first heard before its end. Events from before that first instant revise no figure.
   */
  #wasSettledEmpty({ closesAt, rollup }: CursorResult, heardSince: number): boolean {
    return closesAt <= this.#lastRollupAt && rollup !== null && rollup.startAt + rollup.lengthMs > heardSince
  }

  /** Returns all revisions except those of these devices. */
  all(except: ReadonlySet<number>): Revision[] {
    return [...this.#byDay.values()].filter(({ device }) => !except.has(device))
  }
}
