import type { EventBatch } from '../../event/event-batch.ts'
import { type ScanModule, scanModule } from './scan-module.ts'

/** How many numbers there is room for at first. */
const FIRST_IDS = 1024

/** Returns this thread's DeviceIds; there is one per thread, like the scanner. */
export function deviceIds(): DeviceIds {
  shared ??= new DeviceIds(scanModule())
  return shared
}

let shared: DeviceIds | null = null

/**
 * Maps the numbers that the scanner gives to device ids to ids and to indexes in the batch that was entered last, so
 * that an id that has been met before costs no string. The batch stays the authority on its indexes.
 */
class DeviceIds {
  readonly #module: ScanModule
  /** Ids by number, decoded on first use. */
  #ids: (string | undefined)[] = []
  /** By number: the generation in which the id's index was set, and that index in the batch. */
  #generations = new Int32Array(FIRST_IDS)
  #indexes = new Int32Array(FIRST_IDS)
  #batch: EventBatch | null = null
  /** Incremented when a batch is entered or the ids are forgotten; indexes of older generations are void. */
  #generation = 0
  /** How many ids have an index in this generation. */
  #known = 0

  constructor(module: ScanModule) {
    this.#module = module
  }

  /** Makes `indexOf` return indexes in this batch from now on. */
  enter(batch: EventBatch): void {
    if (batch === this.#batch) return
    this.#batch = batch
    this.#beginAnew()
  }

  /** Returns the index in the batch of the id with this number; adds the id if it is new there. */
  indexOf(number: number, batch: EventBatch): number {
    if (this.#generations[number] === this.#generation) return this.#indexes[number]
    const id = this.#idOf(number)
    // If every id of the batch has a number, an id with another number cannot be in the batch.
    const index = this.#known === batch.ids.length ? batch.addId(id) : batch.deviceIndex(id)
    this.#known++
    if (number >= this.#indexes.length) this.#enlarge(number * 2)
    this.#generations[number] = this.#generation
    this.#indexes[number] = index
    return index
  }

  /** Forgets all ids, here and in the scanner, which then numbers them from 0 again. */
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
