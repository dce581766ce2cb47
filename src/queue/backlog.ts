import { ProducerError } from './producer-error.ts'

/** The count of waiting jobs is read again when it is older than this, or at its limit. */
const FRESH_MS = 250

/** Keeps the jobs that wait in the queue below a limit; in between readings it counts the jobs of this process only. */
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
   * Counts one job more.
   *
   * @throws ProducerError `queue-full` where there is no room for it
   */
  async enter(): Promise<void> {
    if (this.#waiting >= this.#limit || performance.now() - this.#readAt > FRESH_MS) await this.#read()
    if (this.#waiting >= this.#limit) {
      const full = `the queue is full (${this.#waiting} of ${this.#limit} jobs waiting)`
      throw new ProducerError('queue-full', `${full}: run more workers, or send again later`)
    }
    this.#waiting++
  }

  /** One reading serves all who ask for it at the same time. */
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
