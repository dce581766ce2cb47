import { millisecondsInDay } from '../base/time.ts'
import { readSegments } from '../store/read-segments.ts'
import type { StoreView } from '../store/view.ts'

/**
 * Knows from which instant on events of each device of a shard wait for a rollup. Reads them when first asked. Stored
 * days from then on may or may not include these events: a rollup reads whole days, but takes up only part of what is
 * due. All those days are computed again once the events are taken up.
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

  /** Tells whether an event of the device before an instant (epoch ms) is due, or may be in a damaged segment. */
  async reachBefore(device: number, instant: number): Promise<boolean> {
    this.#firstAt ??= await this.#read()
    return Math.min(this.#firstAt.get(device) ?? Infinity, this.#damagedFrom) < instant
  }

  /** Returns the UTC days of due segments that cannot be read. They may hold events of any device. */
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
    for await (const [{ utcDay }, { count, device, at }] of readSegments(this.#store.archive, this.#shard, segments, {
      onDamaged,
    })) {
      for (let row = 0; row < count; row++) {
        const instant = utcDay * millisecondsInDay + at[row]
        if (instant < (firstAt.get(device[row]) ?? Infinity)) firstAt.set(device[row], instant)
      }
    }
    return firstAt
  }
}
