import { type BodyPlace, checkSealed, isSealed, loadBodies } from '../../base/checksum.ts'
import { type DeviceDay, emptyDeviceDay } from '../device-day.ts'
import { STATISTIC_NAMES } from '../statistics.ts'
import {
  BLOCK_DEVICES,
  COLUMN_HEADER_BYTES,
  damagedBlock,
  fieldsOf,
  HEADER_BYTES,
  hasSlot,
  valueAt,
} from './block-codec.ts'

/** Bodies of one block, one after another, with their days (epoch days). */
export interface BlockBodies {
  bytes: Buffer
  shard: number
  block: number
  days: readonly number[]
}

/** Reads the columns of one block after another in place. All it returns is valid until the next block. */
export class BlockColumns {
  /** The used slots, ascending: the first `count` entries. */
  readonly slots = new Int32Array(BLOCK_DEVICES)
  count = 0
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  /** The offset of each column, in the order of STATISTIC_NAMES; -1 for a column that the block does not have. */
  readonly #starts = new Int32Array(STATISTIC_NAMES.length)

  /** Turns to one body after another and calls `each` for it. @throws CoolerError `store-damaged` */
  forEach({ bytes, shard, block, days }: BlockBodies, each: () => void): void {
    this.#open(bytes)
    const check = loadBodies(bytes) ?? checkSealed
    let from = 0
    for (const day of days) {
      const place: BodyPlace = [shard, block, day]
      try {
        from = this.#read(from, place, check)
      } catch (error) {
        throw damagedBlock(error, place)
      }
      each()
    }
  }

  #open(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Turns to the body that begins at `from` and returns where it ends. Throws if there is no complete body. */
  #read(from: number, place: BodyPlace, check: typeof checkSealed): number {
    const bytes = this.#bytes
    const { length } = fieldsOf(bytes, from)
    this.count = 0
    for (let slot = 0; slot < BLOCK_DEVICES; slot++) if (hasSlot(bytes, slot, from)) this.slots[this.count++] = slot
    let offset = from + HEADER_BYTES
    for (let field = 0; field < STATISTIC_NAMES.length; field++) {
      this.#starts[field] = field < length ? offset : -1
      if (field < length) offset += COLUMN_HEADER_BYTES + this.count * bytes[offset]
    }
    // Not `>`: the end of a truncated body may be NaN.
    if (!(offset <= bytes.length)) throw new Error('rollup block that is cut')
    return isSealed(bytes, from) ? check(bytes, from, offset, place) : offset
  }

  /** Returns the rollup of one slot, or null. Allocates nothing for the other slots. */
  dayOf(slot: number): DeviceDay | null {
    const rank = this.slots.subarray(0, this.count).indexOf(slot)
    if (rank < 0) return null
    const day = emptyDeviceDay()
    for (let field = 0; field < STATISTIC_NAMES.length; field++) {
      const start = this.#starts[field]
      if (start < 0) break
      const width = this.#bytes[start]
      const base = this.#bytes.readDoubleLE(start + 1)
      day[STATISTIC_NAMES[field]] = valueAt(this.#bytes, start + COLUMN_HEADER_BYTES + rank * width, width, base)
    }
    return day
  }

  /** Adds the values of the `field`-th of STATISTIC_NAMES to `target`, each at `first + slot * stride`. */
  addTo(target: Float64Array, first: number, stride: number, field: number): void {
    const { slots, count } = this
    const start = this.#starts[field]
    if (start < 0) return
    const bytes = this.#bytes
    const view = this.#view
    const base = view.getFloat64(start + 1, true)
    const values = start + COLUMN_HEADER_BYTES
    // One loop for each width: without a test of the width inside, it takes half the time.
    switch (bytes[start]) {
      case 0:
        if (base !== 0) for (let rank = 0; rank < count; rank++) target[first + slots[rank] * stride] += base
        break
      case 1:
        for (let rank = 0; rank < count; rank++) target[first + slots[rank] * stride] += base + bytes[values + rank]
        break
      case 2:
        for (let rank = 0; rank < count; rank++)
          target[first + slots[rank] * stride] +=
            base + (bytes[values + 2 * rank] | (bytes[values + 2 * rank + 1] << 8))
        break
      case 4:
        for (let rank = 0; rank < count; rank++)
          target[first + slots[rank] * stride] += base + view.getUint32(values + 4 * rank, true)
        break
      default:
        for (let rank = 0; rank < count; rank++)
          target[first + slots[rank] * stride] += view.getFloat64(values + 8 * rank, true)
    }
  }
}
