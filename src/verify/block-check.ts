import type { LocalDay } from '../rollup/local-day.ts'
import { BLOCK_DEVICES, type Block, emptyBlock, isBodyOf } from '../store/codec/block-codec.ts'
import { comparableTo, type DeviceDay } from '../store/device-day.ts'
import type { RollupReads } from '../store/rollup-store.ts'
import { deviceAt, nextCloseAt, type StoredBlockRow } from '../store/rollup-store.ts'
import { decoded } from './carried-in.ts'
import { DATES_OFF } from './chunk-scope.ts'
import { type DifferentFields, differentFields } from './difference.ts'
import { type ComparableDay, comparableDay, type RollupTimes } from './stored-as-of.ts'

/** A slot of the block that is compared. */
export interface Slot {
  device: number
  /** Whether the device is registered; the slot of an unregistered device must be empty. */
  isRegistered: boolean
  /**
   * First local day (epoch day) that can be computed; the raw events of stored days before it are gone. Infinity if no
   * day can be computed.
   */
  firstDay: number
}

/** A slot of a row that is wrong. `stored` and `computed` are null for no rollup, but never both. */
export interface SlotDifference {
  device: number
  block: number
  slot: number
  day: number
  stored: DeviceDay | null
  computed: DeviceDay | null
  /** Empty unless both are there. */
  fields: DifferentFields
}

/** Where a block's results go. Days are epoch days. */
export interface BlockOutput {
  /** Adds device-days that were compared, and device-days that were left out because their raw events are gone. */
  counted(compared: number, withoutRaw: number): void
  different(difference: SlotDifference): Promise<void>
  /** Reports a row whose body cannot be decoded; `devices` are the compared devices in it, at least one. */
  unreadable(row: { block: number; day: number; devices: readonly number[] }): void
  /** Reports a row that is wrong although all its compared slots are right; `right` is what it should hold. */
  misformed(row: { block: number; day: number; right: Block; device: number; fields: DifferentFields }): void
}

/** `rollups` is null if the body cannot be decoded. */
interface LoadedRow extends StoredBlockRow {
  rollups: Block | null
}

export interface BlockContext {
  rollups: RollupReads
  shard: number
  block: number
  times: RollupTimes
  /** Local days to compare, epoch days, both counted. */
  from: number
  to: number
  /** Null for a slot that is not compared. */
  slots: readonly (Slot | null)[]
}

/** Days loaded in advance of the one asked for, to save reads. */
const DAYS_AHEAD = 8

/** Compares the rows of one block with the computed days of its devices, day after day. */
export class BlockCheck {
  readonly #context: BlockContext
  readonly #output: BlockOutput
  /** Loaded rows and computed days that have not been compared yet, by day. */
  readonly #rows = new Map<number, LoadedRow>()
  readonly #computed = new Map<number, Block>()
  #loadedTo: number

  constructor(context: BlockContext, output: BlockOutput) {
    this.#context = context
    this.#output = output
    this.#loadedTo = context.from - 1
  }

  /** Loads the stored rows up to a day. Other methods may only be called for days that have been loaded. */
  async load(toDay: number): Promise<void> {
    const { rollups, shard, block, to } = this.#context
    if (toDay <= this.#loadedTo || this.#loadedTo >= to) return
    const until = Math.min(to, toDay + DAYS_AHEAD)
    for (const row of await rollups.storedRows(shard, block, this.#loadedTo + 1, until)) {
      this.#rows.set(row.day, { ...row, rollups: decoded(row.body, [shard, block, row.day]) })
    }
    this.#loadedTo = until
  }

  comparable(slot: number, day: LocalDay): ComparableDay {
    return comparableDay(this.#stored(slot, day.day), day, this.#context.times)
  }

  /** Tells whether the device may have had events around a day (epoch day) when it was rolled up. */
  mayHaveEvents(slot: number, day: number): boolean {
    for (const [stored, { rollups }] of this.#rows) {
      if (Math.abs(stored - day) <= DATES_OFF && (rollups === null || (rollups[slot]?.events ?? 0) > 0)) return true
    }
    return false
  }

  /** Stops comparing the days of a device, because they cannot be computed any more. */
  giveUp(slot: number): void {
    const is = this.#context.slots[slot]
    if (is !== null) is.firstDay = Infinity
  }

  isStored(slot: number, day: LocalDay): boolean {
    return this.#stored(slot, day.day) !== null
  }

  #stored(slot: number, day: number): DeviceDay | null {
    return this.#rows.get(day)?.rollups?.[slot] ?? null
  }

  /** @param isNeeded whether the day must have a rollup; if false it may have this rollup or none. */
  put(slot: number, day: number, rollup: DeviceDay, isNeeded: boolean): void {
    const stored = this.#stored(slot, day)
    const right = stored === null ? rollup : comparableTo(stored, rollup)
    if (!isNeeded && (stored === null || differentFields(stored, right) !== null)) return
    let computed = this.#computed.get(day)
    if (!computed) this.#computed.set(day, (computed = emptyBlock()))
    computed[slot] = right
  }

  /** Compares all days before a day; nothing may be put for them after this. */
  async compareBefore(day: number): Promise<void> {
    const days = [...this.#rows.keys(), ...[...this.#computed.keys()].filter((one) => !this.#rows.has(one))]
    for (const one of days.filter((other) => other < day).sort((a, b) => a - b)) {
      await this.#compare(one, this.#rows.get(one), this.#computed.get(one) ?? emptyBlock())
      this.#rows.delete(one)
      this.#computed.delete(one)
    }
  }

  async #compare(day: number, row: LoadedRow | undefined, computed: Block): Promise<void> {
    if (row !== undefined && row.rollups === null) {
      this.#output.unreadable({ block: row.block, day, devices: this.#devicesOf(computed) })
      return
    }
    const right = await this.#compareSlots(day, row?.rollups ?? emptyBlock(), computed)
    if (row !== undefined && right !== null) this.#compareRow(row, right)
  }

  /** Returns the right row: computed slots, and stored ones that cannot be computed. Returns null if a slot differs. */
  async #compareSlots(day: number, stored: Block, computed: Block): Promise<Block | null> {
    const { block, slots } = this.#context
    const right = emptyBlock()
    let compared = 0
    let withoutRaw = 0
    let same = true
    for (let slot = 0; slot < BLOCK_DEVICES; slot++) {
      const is = slots[slot]
      const [one, other] = [stored[slot], computed[slot]]
      right[slot] = one
      if (is === null || (one === null && other === null)) continue
      if (day < is.firstDay) {
        withoutRaw++
        continue
      }
      compared++
      right[slot] = other
      const fields = one === null || other === null ? {} : differentFields(one, other)
      if (fields === null) continue
      same = false
      await this.#output.different({ device: is.device, block, slot, day, stored: one, computed: other, fields })
    }
    this.#output.counted(compared, withoutRaw)
    return same ? right : null
  }

  /** Reports a row with wrong bytes or a wrong closing time. A row without any rollup should not be there at all. */
  #compareRow({ block, day, body, nextCloseAt: stored }: LoadedRow, right: Block): void {
    const computed = nextCloseAt(right)
    const isRight = right.some((rollup) => rollup !== null) && isBodyOf(body, right, [this.#context.shard, block, day])
    if (isRight && stored === computed) return
    const fields: DifferentFields = stored === computed ? {} : { nextCloseAt: { stored, computed } }
    this.#output.misformed({ block, day, right, device: this.#devicesOf(right)[0], fields })
  }

  /** Returns the compared devices that have a rollup; else all compared devices; else the first device of the block. */
  #devicesOf(stored: Block): readonly number[] {
    const { rollups, shard, block, slots } = this.#context
    const compared = slots.flatMap((slot, index) => (slot?.isRegistered ? [{ ...slot, index }] : []))
    if (compared.length === 0) return [deviceAt({ shard, block, slot: 0 }, rollups.shards)]
    const there = compared.filter(({ index }) => stored[index] !== null)
    return (there.length > 0 ? there : compared).map(({ device }) => device)
  }
}
