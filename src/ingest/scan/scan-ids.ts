import type { EventBatch } from '../../event/event-batch.ts'
import { type ScanModule, scanModule } from './scan-module.ts'

/** Numbers that there is room for at first. */
const FIRST_IDS = 1024

/** One for each thread, as the scanner is. */
export function deviceIds(): DeviceIds {
  shared ??= new DeviceIds(scanModule())
  return shared
}

let shared: DeviceIds | null = null

/**
 * What the numbers that the scanner gives to device ids stand for, so that an id that has been met before costs no
 * string. It knows of each its index in the batch that was entered last; the batch stays the authority on its indexes.
 */
class DeviceIds {
  readonly #module: ScanModule
  /** By number; made when they are first asked for. */
  #ids: (string | undefined)[] = []
  /** By number: the generation that `index` is of, and that index. */
  #generations = new Int32Array(FIRST_IDS)
  #indexes = new Int32Array(FIRST_IDS)
  #batch: EventBatch | null = null
  /** Counts what has been entered, and forgotten. */
  #generation = 0
  /** Ids that have an index in this generation. */
  #known = 0

  constructor(module: ScanModule) {
    this.#module = module
  }

  /** From here on `indexOf` is asked for indexes in this batch. */
  enter(batch: EventBatch): void {
    if (batch === this.#batch) return
    this.#batch = batch
    this.#beginAnew()
  }

  /** The index of a numbered id in the batch; it is added there where it is new. */
  indexOf(number: number, batch: EventBatch): number {
    if (this.#generations[number] === this.#generation) return this.#indexes[number]
    const id = this.#idOf(number)
    // Where each id of the batch has a number, one with another number is none of them.
    const index = this.#known === batch.ids.length ? batch.addId(id) : batch.deviceIndex(id)
    this.#known++
    if (number >= this.#indexes.length) this.#enlarge(number * 2)
    this.#generations[number] = this.#generation
    this.#indexes[number] = index
    return index
  }

  /** The scanner gives its numbers anew. */
  forgetAll(): void {
    this.#module.scanner.forgetIds()
    this.#ids = []
    this.#beginAnew()
  }

  #beginAnew(): void {
    this.#generation++
    this.#known = 0
  }

  #idOf(number: number): string {
    const { bytes, idStarts, scanner } = this.#module
    const first = scanner.ID_BYTES.value
    return (this.#ids[number] ??= bytes.toString('utf8', first + idStarts[number], first + idStarts[number + 1]))
  }

  #enlarge(size: number): void {
    const generations = new Int32Array(size)
    generations.set(this.#generations)
    this.#generations = generations
    const indexes = new Int32Array(size)
    indexes.set(this.#indexes)
    this.#indexes = indexes
  }
}
