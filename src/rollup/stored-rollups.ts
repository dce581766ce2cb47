import { type Block, decodeBlock } from '../summary/block-codec.ts'
import type { DeviceDay } from '../summary/device-day.ts'
import { placeOf, type ReportStore } from '../summary/report-store.ts'
import { FURTHEST_DATES } from './local-day.ts'

export interface StoredDay {
  day: number
  rollup: DeviceDay
}

/** The last stored day that ends by the start of a day: its state is carried into that one. Null where there is none. */
export async function storedBefore(
  previous: (day: number) => Promise<StoredDay | null>,
  { day, start }: { day: number; start: number },
): Promise<StoredDay | null> {
  let before = await previous(day + FURTHEST_DATES)
  while (before !== null && before.rollup.startAt + before.rollup.lengthMs > start) before = await previous(before.day)
  return before
}

/** Look-ups of what is stored of devices of one shard, within one snapshot; every block read is kept decoded. */
export class StoredRollups {
  readonly #store: ReportStore
  readonly #shard: number
  /** By block, then day: null where there is no row. */
  readonly #blocks = new Map<number, Map<number, Block | null>>()

  constructor(store: ReportStore, shard: number) {
    this.#store = store
    this.#shard = shard
  }

  async on(device: number, day: number): Promise<DeviceDay | null> {
    const { block, slot } = placeOf(device, this.#store.shards)
    const kept = this.#kept(block)
    let rollups = kept.get(day)
    if (rollups === undefined) {
      const body = await this.#store.block(this.#shard, block, day)
      rollups = body === null ? null : decodeBlock(body)
      kept.set(day, rollups)
    }
    return rollups?.[slot] ?? null
  }

  /** The device's last stored day before a day, or its first one after it. */
  async next(device: number, day: number, direction: -1 | 1): Promise<StoredDay | null> {
    const { block, slot } = placeOf(device, this.#store.shards)
    const kept = this.#kept(block)
    for (let from = day; ; ) {
      const row = await this.#store.neighbour(this.#shard, block, from, direction)
      if (row === null) return null
      const rollups = kept.get(row.day) ?? decodeBlock(row.body)
      kept.set(row.day, rollups)
      const rollup = rollups[slot]
      if (rollup !== null) return { day: row.day, rollup }
      from = row.day
    }
  }

  #kept(block: number): Map<number, Block | null> {
    let kept = this.#blocks.get(block)
    if (!kept) this.#blocks.set(block, (kept = new Map()))
    return kept
  }
}
