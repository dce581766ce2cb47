import { type Block, decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { RollupReads } from '../store/rollup-store.ts'
import { placeOf } from '../store/rollup-store.ts'

export interface StoredDay {
  day: number
  rollup: DeviceDay
}

/**
 * Returns the last stored day of an earlier date that ends by the start of a day: its state is carried into that one.
 * Null where there is none, undefined where `previous` has yet to load what tells.
 */
export function storedBefore(
  previous: (day: number) => StoredDay | null | undefined,
  { day, start }: { day: number; start: number },
): StoredDay | null | undefined {
  let before = previous(day)
  while (before && before.rollup.startAt + before.rollup.lengthMs > start) before = previous(before.day)
  return before
}

interface BlockRows {
  /** Days with a row, ascending. */
  days: readonly number[]
  /** Rows that have been read, by day. */
  read: Map<number, Block>
}

/**
 * Look-ups of what is stored of devices of one shard, within one snapshot; every block read is kept decoded. They never
 * wait, since most of them find nothing and there is one for every day that is computed: where something has to be read
 * first they give undefined, and may be asked again after `load`.
 */
export class StoredRollups {
  readonly #store: RollupReads
  readonly #shard: number
  readonly #blocks = new Map<number, BlockRows>()
  /** What the last look-up lacked: a day, or null for the days that there are. */
  #missing: { block: number; day: number | null } | null = null

  constructor(store: RollupReads, shard: number) {
    this.#store = store
    this.#shard = shard
  }

  on(device: number, day: number): DeviceDay | null | undefined {
    const { block, slot } = placeOf(device, this.#store.shards)
    const rows = this.#rowsOf(block)
    if (rows === undefined) return undefined
    if (rows.days.length === 0 || !rows.days.includes(day)) return null
    const rollups = this.#read(rows, block, day)
    return rollups === undefined ? undefined : rollups[slot]
  }

  /** The device's last stored day before a day, or its first one after it. */
  next(device: number, day: number, direction: -1 | 1): StoredDay | null | undefined {
    const { block, slot } = placeOf(device, this.#store.shards)
    const rows = this.#rowsOf(block)
    if (rows === undefined) return undefined
    const { days } = rows
    let nth = direction > 0 ? days.findIndex((one) => one > day) : days.findLastIndex((one) => one < day)
    if (nth < 0) return null
    for (; nth >= 0 && nth < days.length; nth += direction) {
      const rollups = this.#read(rows, block, days[nth])
      if (rollups === undefined) return undefined
      const rollup = rollups[slot]
      if (rollup !== null) return { day: days[nth], rollup }
    }
    return null
  }

  #rowsOf(block: number): BlockRows | undefined {
    const rows = this.#blocks.get(block)
    if (rows === undefined) this.#missing = { block, day: null }
    return rows
  }

  #read({ read }: BlockRows, block: number, day: number): Block | undefined {
    const rollups = read.get(day)
    if (rollups === undefined) this.#missing = { block, day }
    return rollups
  }

  /** Reads what the last look-up lacked. */
  async load(): Promise<void> {
    if (this.#missing === null) return
    const { block, day } = this.#missing
    this.#missing = null
    if (day === null) {
      const days = await this.#store.daysOfBlock(this.#shard, block)
      this.#blocks.set(block, { days, read: new Map() })
    } else {
      const body = (await this.#store.block(this.#shard, block, day)) as Buffer
      this.#blocks.get(block)?.read.set(day, decodeBlock(body, [this.#shard, block, day]))
    }
  }

  /** What a look-up gives once everything that it needs is there. */
  async found<Found>(lookUp: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = lookUp()
      if (found !== undefined) return found
      await this.load()
    }
  }
}
