import { ProducerError } from './producer-error.ts'

/** Longest time that a count of waiting jobs is used; a count at the limit is read again at once. */
const FRESH_MS = 250

/** Keeps the number of waiting jobs below a limit. Between two readings it counts only the jobs of this process. */
export class Backlog {
  readonly #countWaiting: () => Promise<number>
  readonly #limit: number
  #waiting = 0
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(countWaiting: () => Promise<number>, limit: number) {
    this.#countWaiting = countWaiting
    this.#limit = limit
  }

  /**
   * Counts one more job.
   *
   * @throws ProducerError `queue-full` if there is no room for it
   */
  async enter(): Promise<void> {
    if (this.#waiting >= this.#limit || performance.now() - this.#readAt > FRESH_MS) await this.#read()
    if (this.#waiting >= this.#limit) {
      const full = `the queue is full (${this.#waiting} of ${this.#limit} jobs waiting)`
      throw new ProducerError('queue-full', `${full}: run more workers, or send again later`)
    }
    this.#waiting++
  }

  /** Reads the count; concurrent calls share one reading. */
  #read(): Promise<void> {
    this.#reading ??= this.#countWaiting()
      .then((waiting) => {
        this.#waiting = waiting
        this.#readAt = performance.now()
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }
}
