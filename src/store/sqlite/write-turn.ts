/** As data that threads can be given: see WriteTurn. */
export type WriteTurnCell = SharedArrayBuffer

const FREE = 0
const TAKEN = 1

/**
 * So long a turn is waited for. Who waits in vain writes all the same: the turn is a courtesy, the store's own lock is
 * what keeps writers apart. Much less than the patience with that lock, which may be another process's.
 */
const PATIENCE_MS = 1000

/** Makes a turn that nobody has. */
export const newWriteTurn = (): WriteTurnCell => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)

/**
 * Whose turn it is to write, among threads of one process. SQLite waits for its lock by sleeping, up to a tenth of a
 * second between two looks; threads that write without a pause would sleep most of their time, and starve each other.
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
