import type { EventBatch } from './event-batch.ts'
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
 * string. It knows of each its index in one batch; the batch stays the authority on its own indexes.
 */
class DeviceIds {
  readonly #module: ScanModule
  /** By number; made when they are first asked for. */
  #ids: (string | undefined)[] = []
  /** By number: the batch that `index` is of, and that index. */
  #generation = new Int32Array(FIRST_IDS)
  #index = new Int32Array(FIRST_IDS)
  readonly #generations = new WeakMap<EventBatch, number>()
  #lastGeneration = 0
  #entered = 0

  constructor(module: ScanModule) {
    this.#module = module
  }

  /** From here on `indexOf` is asked for indexes in this batch. */
  enter(batch: EventBatch): void {
    let generation = this.#generations.get(batch)
    if (generation === undefined) {
      generation = ++this.#lastGeneration
      this.#generations.set(batch, generation)
    }
    this.#entered = generation
  }

  /** The index of a numbered id in the batch; it is added there where it is new. */
  indexOf(number: number, batch: EventBatch): number {
    if (this.#generation[number] === this.#entered) return this.#index[number]
    const index = batch.deviceIndex(this.#idOf(number))
    if (number >= this.#index.length) this.#enlarge(number * 2)
    this.#generation[number] = this.#entered
    this.#index[number] = index
    return index
  }

  /** The scanner gives its numbers anew. */
  forgetAll(): void {
    this.#module.scanner.forgetIds()
    this.#ids = []
    this.#generation.fill(0)
  }

  #idOf(number: number): string {
    const { bytes, idStarts, scanner } = this.#module
    const first = scanner.ID_BYTES.value
    return (this.#ids[number] ??= bytes.toString('utf8', first + idStarts[number], first + idStarts[number + 1]))
  }

  #enlarge(size: number): void {
    const generation = new Int32Array(size)
    generation.set(this.#generation)
    this.#generation = generation
    const index = new Int32Array(size)
    index.set(this.#index)
    this.#index = index
  }
}
