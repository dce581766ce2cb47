import type { RawStore } from '../../raw/raw-store.ts'
import { millisecondsInDay } from '../../time.ts'

/**
 * From when on events of devices of a shard wait for a rollup; read when it is first asked for. What is stored of later
 * days may or may not have these events in it: a rollup reads whole days, but of what is due only as much as it takes
 * up. All of it is computed again once they are taken up.
 */
export class DueEvents {
  readonly #raw: RawStore
  readonly #shard: number
  #firstAt: Map<number, number> | null = null

  constructor(raw: RawStore, shard: number) {
    this.#raw = raw
    this.#shard = shard
  }

  /** Whether an event of the device from before an instant (epoch ms) is due. */
  async reachBefore(device: number, instant: number): Promise<boolean> {
    this.#firstAt ??= await this.#read()
    return (this.#firstAt.get(device) ?? Infinity) < instant
  }

  async #read(): Promise<Map<number, number>> {
    const firstAt = new Map<number, number>()
    for (const { id, utcDay } of await this.#raw.dueSegments(this.#shard)) {
      const [{ count, device, at }] = await this.#raw.segments([id])
      for (let row = 0; row < count; row++) {
        const instant = utcDay * millisecondsInDay + at[row]
        if (instant < (firstAt.get(device[row]) ?? Infinity)) firstAt.set(device[row], instant)
      }
    }
    return firstAt
  }
}
