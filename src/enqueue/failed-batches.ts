import { FlushError, type ProducerError } from '../queue/producer-error.ts'

/** Errors that are kept; of the batches beyond only the number is told. */
const ERRORS_KEPT = 100

/** The batches that failed since it was last asked. */
export class FailedBatches {
  #errors: ProducerError[] = []
  #batches = 0
  #events = 0

  add(error: ProducerError, events: number): void {
    if (this.#errors.length < ERRORS_KEPT) this.#errors.push(error)
    this.#batches++
    this.#events += events
  }

  /** @throws FlushError where any failed, once */
  throwAny(): void {
    if (this.#batches === 0) return
    const failed = { errors: this.#errors, batches: this.#batches, events: this.#events }
    this.#errors = []
    this.#batches = 0
    this.#events = 0
    throw new FlushError(failed)
  }
}
