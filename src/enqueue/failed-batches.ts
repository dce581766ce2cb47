import { FlushError, type ProducerError } from '../queue/producer-error.ts'

/** Most errors kept. Further failed batches are only counted. */
const ERRORS_KEPT = 100

/** Collects the batches that have failed since the last call of `throwAny`. */
export class FailedBatches {
  #errors: ProducerError[] = []
  #batches = 0
  #events = 0

  add(error: ProducerError, events: number): void {
    if (this.#errors.length < ERRORS_KEPT) this.#errors.push(error)
    this.#batches++
    this.#events += events
  }

  /** Throws if batches have failed, and forgets them. @throws FlushError */
  throwAny(): void {
    if (this.#batches === 0) return
    const failed = { errors: this.#errors, batches: this.#batches, events: this.#events }
    this.#errors = []
    this.#batches = 0
    this.#events = 0
    throw new FlushError(failed)
  }
}
