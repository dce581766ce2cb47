import { BLOCK_DEVICES } from '../../store/codec/block-codec.ts'
import { type BlockBodies, BlockColumns } from '../../store/codec/block-columns.ts'
import { STATISTIC_NAMES } from '../../store/statistics.ts'
import {
  AT,
  type Extreme,
  extremes,
  newTotals,
  SUM_COUNT,
  TOTALLED,
  TOTALS_OF_DEVICE,
  type Totals,
} from '../../store/totals.ts'

const FIELDS = Int32Array.from(TOTALLED, (name) => STATISTIC_NAMES.indexOf(name))

/** Adds up the totals of many devices at once for large reports, without an object for a device or a day. */
export class FleetTotals {
  /** The totals of a slot of the n-th block begin at `(n * BLOCK_DEVICES + slot) * TOTALS_OF_DEVICE`. */
  readonly values: Totals
  readonly #columns = new BlockColumns()

  constructor(blocks: number) {
    this.values = newTotals(blocks * BLOCK_DEVICES)
  }

  /**
   * Adds the rollups of the n-th block, and calls `each` for the columns of each day.
   *
   * @throws CoolerError `store-damaged`
   */
  add(bodies: BlockBodies, nth: number, each?: (columns: BlockColumns) => void): void {
    const columns = this.#columns
    const first = nth * BLOCK_DEVICES * TOTALS_OF_DEVICE
    columns.forEach(bodies, () => {
      for (let at = 0; at < SUM_COUNT; at++) columns.addTo(this.values, first + at, TOTALS_OF_DEVICE, FIELDS[at])
      for (const extreme of extremes) this.#addExtreme(first, extreme)
      each?.(columns)
    })
  }

  #addExtreme(first: number, { at, of, isLeast }: Extreme): void {
    const { slots, count } = this.#columns
    const readings = this.#slotValues(READINGS, FIELDS[AT[of]])
    const found = this.#slotValues(FOUND, FIELDS[at])
    const { values } = this
    for (let rank = 0; rank < count; rank++) {
      const slot = slots[rank]
      if (readings[slot] === 0) continue
      const place = first + slot * TOTALS_OF_DEVICE + at
      if (isLeast ? found[slot] < values[place] : found[slot] > values[place]) values[place] = found[slot]
    }
  }

  #slotValues(into: Float64Array, field: number): Float64Array {
    into.fill(0)
    this.#columns.addTo(into, 0, 1, field)
    return into
  }
}

/** Reused for every block. */
const [READINGS, FOUND] = [0, 1].map(() => new Float64Array(BLOCK_DEVICES))
