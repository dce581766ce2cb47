import type { BodyPlace } from '../base/checksum.ts'
import { type Calendar, FURTHEST_DATES, type LocalDay } from '../rollup/local-day.ts'
import { type Block, decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { RollupReads } from '../store/rollup-store.ts'

/** What is carried into a day: null where nothing is stored before it; `unreadable` is the day whose row hides it. */
export type Carried = { before: DeviceDay | null } | { unreadable: number }

/** What is stored of the devices of one block before the days from which on they are computed. */
export class CarriedIn {
  readonly #rollups: RollupReads
  readonly #shard: number
  readonly #block: number
  /** By day; null for a row that cannot be decoded. */
  readonly #rows = new Map<number, Block | null>()

  constructor(rollups: RollupReads, shard: number, block: number) {
    this.#rollups = rollups
    this.#shard = shard
    this.#block = block
  }

  /** The last stored day that ends by the start of a day, as the rollup's `storedBefore` finds it. */
  async into(slot: number, { day, start }: LocalDay): Promise<Carried> {
    for (let from = day + FURTHEST_DATES; ; ) {
      const row = await this.#row(from, -1)
      if (row === null) return { before: null }
      from = row.day
      if (row.rollups === null && from < day) return { unreadable: from }
      const rollup = row.rollups?.[slot] ?? null
      if (rollup !== null && rollup.startAt + rollup.lengthMs <= start) return { before: rollup }
    }
  }

  /** What is stored of the first day, not before this one, of which anything is; null where nothing is. */
  async outOf(slot: number, { day, start }: LocalDay): Promise<DeviceDay | null> {
    for (let from = day - 1; ; ) {
      const row = await this.#row(from, 1)
      if (row === null) return null
      from = row.day
      const rollup = row.rollups?.[slot] ?? null
      if (rollup !== null && rollup.startAt >= start) return rollup
    }
  }

  /**
   * The first day, not before this one, that lies behind what is stored of days that start before an instant (epoch ms):
   * these stay as they are, though a device that was moved may have other days there by now.
   */
  async behindKept(slot: number, first: LocalDay, calendar: Calendar, purgedBefore: number): Promise<LocalDay> {
    let day = first
    for (let from = first.day + FURTHEST_DATES; from > first.day - FURTHEST_DATES; ) {
      const row = await this.#row(from, -1)
      if (row === null) return day
      from = row.day
      const rollup = row.rollups?.[slot] ?? null
      if (rollup === null || rollup.startAt >= purgedBefore) continue
      while (day.start < rollup.startAt + rollup.lengthMs || day.day <= row.day) day = calendar.dayAt(day.end)
      return day
    }
    return day
  }

  async #row(day: number, direction: -1 | 1): Promise<{ day: number; rollups: Block | null } | null> {
    const row = await this.#rollups.neighbour(this.#shard, this.#block, day, direction)
    if (row === null) return null
    let rollups = this.#rows.get(row.day)
    if (rollups === undefined)
      this.#rows.set(row.day, (rollups = decoded(row.body, [this.#shard, this.#block, row.day])))
    return { day: row.day, rollups }
  }
}

/** Null where the body cannot be decoded: what is wrong is told, not thrown. */
export function decoded(body: Buffer, place: BodyPlace): Block | null {
  try {
    return decodeBlock(body, place)
  } catch {
    return null // A body that is none is one of the things that are looked for.
  }
}
