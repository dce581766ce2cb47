import type { CoolerError } from '../base/errors.ts'
import { isDamage } from '../store/damaged-events.ts'

/** Collects the damage that some work meets, so that the rest of the work goes on. */
export class Damages {
  #first: CoolerError | null = null

  /** Returns what `read` returns; null if it meets damage. */
  read<Result>(read: () => Result): Result | null {
    try {
      return read()
    } catch (error) {
      return this.#keep(error)
    }
  }

  /** Awaits work; resolves to null if it meets damage. */
  pass<Result>(work: Promise<Result>): Promise<Result | null> {
    return work.catch((error) => this.#keep(error))
  }

  /** @throws CoolerError `store-damaged` if any work has met damage: the first that was met */
  throwFirst(): void {
    if (this.#first !== null) throw this.#first
  }

  #keep(error: unknown): null {
    if (!isDamage(error)) throw error
    this.#first ??= error
    return null
  }
}
