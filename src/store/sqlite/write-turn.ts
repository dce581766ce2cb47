/** The state of a WriteTurn, in memory that threads share. */
export type WriteTurnCell = SharedArrayBuffer

const FREE = 0
const TAKEN = 1

/**
 * Longest wait for a turn. After it we write anyway: the turn only improves fairness; SQLite's lock keeps writers
 * apart. Much shorter than the timeout for that lock, which another process may hold.
 */
const PATIENCE_MS = 1000

/** Makes a turn that nobody holds. */
export const newWriteTurn = (): WriteTurnCell => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)

/**
 * Lets the threads of one process take turns to write. SQLite waits for its lock by sleeping, up to a tenth of a second
 * between two attempts. Threads that write without a pause would sleep most of the time and starve each other.
 */
export class WriteTurn {
  readonly #cell: Int32Array

  constructor(cell: WriteTurnCell) {
    this.#cell = new Int32Array(cell)
  }

  /** Runs `work` in this thread's turn. */
  run<Result>(work: () => Result): Result {
    const taken = this.#take()
    try {
      return work()
    } finally {
      if (taken) this.#leave()
    }
  }

  #take(): boolean {
    while (Atomics.compareExchange(this.#cell, 0, FREE, TAKEN) !== FREE) {
      if (Atomics.wait(this.#cell, 0, TAKEN, PATIENCE_MS) === 'timed-out') return false
    }
    return true
  }

  #leave(): void {
    Atomics.store(this.#cell, 0, FREE)
    Atomics.notify(this.#cell, 0, 1)
  }
}
