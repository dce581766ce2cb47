import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

/** Pauses between tries at what nothing but time, or someone else, can mend. */
export class Patience {
  readonly #end = new AbortController()

  /** A quarter of a second after the first failure (`failures` is 1), twice as long after each next one, up to 5 s. False where it has ended. */
  async pause(failures: number): Promise<boolean> {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    await sleep(pauseMs, undefined, { signal: this.#end.signal }).catch(() => {}) // Cut short by the end.
    return !this.#end.signal.aborted
  }

  /** Ends all pauses, and those to come. */
  end(): void {
    this.#end.abort()
  }
}
