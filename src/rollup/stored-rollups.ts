import { type Block, decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { RollupReads } from '../store/rollup-store.ts'
import { placeOf } from '../store/rollup-store.ts'
import type { Calendar } from './local-day.ts'

export interface StoredDay {
  day: number
  rollup: DeviceDay
}

/** Tells whether the calendar still has a stored day; it does not if the default zone was changed in between. */
export function fits(calendar: Calendar, { day, rollup }: StoredDay): boolean {
  const { start, end, day: date } = calendar.dayAt(rollup.startAt)
  return date === day && start === rollup.startAt && end === rollup.startAt + rollup.lengthMs
}

/**
 * Returns the last stored day of an earlier date that ends by the start of a day, whose state is carried into that day.
 * Returns null if no such day is stored, and undefined until `previous` has loaded what it needs.
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
 * Looks up the stored rollups of one shard within one snapshot; every block read is kept decoded. Look-ups are
 * synchronous, since there is one for every computed day and most find nothing. They return undefined if something must
 * be read first: then call `load` and ask again.
 */
export class StoredRollups {
  readonly #store: RollupReads
  readonly #shard: number
  readonly #blocks = new Map<number, BlockRows>()
  /** What the last look-up lacked: the block's rollups of a day or, if null, the list of its stored days. */
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

  /** Returns the device's last stored day before a day (`direction` -1), or its first stored day after it (1). */
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

  /** Repeats a look-up until everything that it needs is loaded, and returns its result. */
  async found<Found>(lookUp: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = lookUp()
      if (found !== undefined) return found
      await this.load()
    }
  }
}
