import type { FleetCells, FleetLine } from './fleet-cells.ts'

/** Devices described at once, so that no slice takes long. */
const SLICE_DEVICES = 1000

/** Describes devices of a list slice by slice, because the columns of a table take less memory than what they describe. */
export class FleetSlices {
  readonly #cells: FleetCells
  readonly #indexes: Int32Array
  readonly #revised: ReadonlySet<number>
  #from = 0

  /** @param revised numbers of devices with a revised day in the range */
  constructor(cells: FleetCells, indexes: Int32Array, revised: ReadonlySet<number>) {
    this.#cells = cells
    this.#indexes = indexes
    this.#revised = revised
  }

  /** Returns the next devices, or null if there are no more. */
  next(): FleetLine[] | null {
    if (this.#from >= this.#indexes.length) return null
    const indexes = this.#indexes.subarray(this.#from, this.#from + SLICE_DEVICES)
    this.#from += SLICE_DEVICES
    return [...indexes].map((index) => this.#cells.line(index, this.#revised.has(this.#cells.number(index))))
  }
}
