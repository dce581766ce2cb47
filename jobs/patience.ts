import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

/** Pauses between tries of work that can only succeed later, or after someone else has acted. */
export class Patience {
  readonly #end = new AbortController()

  /** Pauses 250 ms if `failures` is 1, then twice as long each time, up to 5 s. Returns false once `end` was called. */
  async pause(failures: number): Promise<boolean> {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    await sleep(pauseMs, undefined, { signal: this.#end.signal }).catch(() => {}) // `end` cuts the pause short.
    return !this.#end.signal.aborted
  }

  /** Ends all present and future pauses. */
  end(): void {
    this.#end.abort()
  }
}
