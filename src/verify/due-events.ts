import { millisecondsInDay } from '../base/time.ts'
import { readSegments } from '../store/read-segments.ts'
import type { StoreView } from '../store/view.ts'

/**
 * From when on events of devices of a shard wait for a rollup; read when it is first asked for. What is stored of later
 * days may or may not have these events in it: a rollup reads whole days, but of what is due only as much as it takes
 * up. All of it is computed again once they are taken up.
 */
export class DueEvents {
  readonly #store: Pick<StoreView, 'due' | 'archive'>
  readonly #shard: number
  #firstAt: Map<number, number> | null = null
  readonly #damagedDays: number[] = []

  constructor(store: Pick<StoreView, 'due' | 'archive'>, shard: number) {
    this.#store = store
    this.#shard = shard
  }

  /** Whether an event of the device from before an instant (epoch ms) is due. */
  async reachBefore(device: number, instant: number): Promise<boolean> {
    this.#firstAt ??= await this.#read()
    return Math.min(this.#firstAt.get(device) ?? Infinity, this.#damagedFrom) < instant
  }

  /** The UTC days of due segments that cannot be read; of any device may be events in them. */
  async damagedDays(): Promise<readonly number[]> {
    this.#firstAt ??= await this.#read()
    return this.#damagedDays
  }

  get #damagedFrom(): number {
    return Math.min(...this.#damagedDays) * millisecondsInDay
  }

  async #read(): Promise<Map<number, number>> {
    const firstAt = new Map<number, number>()
    const segments = await this.#store.due.segments(this.#shard)
    const dayOf = new Map(segments.map(({ id, utcDay }) => [id, utcDay]))
    const onDamaged = (id: number): void => void this.#damagedDays.push(dayOf.get(id) as number)
    for await (const [{ utcDay }, { count, device, at }] of readSegments(this.#store.archive, segments, onDamaged)) {
      for (let row = 0; row < count; row++) {
        const instant = utcDay * millisecondsInDay + at[row]
        if (instant < (firstAt.get(device[row]) ?? Infinity)) firstAt.set(device[row], instant)
      }
    }
    return firstAt
  }
}
