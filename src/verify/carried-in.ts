import type { BodyPlace } from '../base/checksum.ts'
import { type Calendar, FURTHEST_DATES, type LocalDay } from '../rollup/local-day.ts'
import { type Block, decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { RollupReads } from '../store/rollup-store.ts'

/** The rollup carried into a day, null if no earlier one is stored; or the day of an `unreadable` row that hides it. */
export type Carried = { before: DeviceDay | null } | { unreadable: number }

/** Reads the stored state that the devices of one block carry into their first computed day. */
export class CarriedIn {
  readonly #rollups: RollupReads
  readonly #shard: number
  readonly #block: number
  /** Decoded rows by day; null for a row that cannot be decoded. */
  readonly #rows = new Map<number, Block | null>()

  constructor(rollups: RollupReads, shard: number, block: number) {
    this.#rollups = rollups
    this.#shard = shard
    this.#block = block
  }

  /** Returns the last stored day that ends by the start of a day, as the rollup's `storedBefore` finds it. */
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

  /** Returns the earliest stored day that starts at or after the start of this one, or null. */
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
   * Returns the first day, this one or later, that lies after every stored day that starts before `purgedBefore` (epoch
   * ms). Those days stay stored as they are, although the days of a device that was moved may now have other bounds.
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

/** Decodes the body of a row. Returns null if it cannot be decoded: verification reports damage instead of throwing. */
export function decoded(body: Buffer, place: BodyPlace): Block | null {
  try {
    return decodeBlock(body, place)
  } catch {
    return null // Damaged bodies are one of the things that a verification looks for.
  }
}
