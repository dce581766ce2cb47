/** Every error that the producer raises on purpose, and whether the same events may land when they are sent again. */
export const PRODUCER_ERRORS = {
  'bad-option': { retryable: false },
  'event-not-serialisable': { retryable: false },
  'event-too-large': { retryable: false },
  'batch-too-long': { retryable: false },
  'batch-too-large': { retryable: false },
  'producer-closed': { retryable: false },
  'queue-refused': { retryable: false },
  'queue-unavailable': { retryable: true },
  'queue-full': { retryable: true },
  'flush-failed': { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>

export type ProducerErrorCode = keyof typeof PRODUCER_ERRORS

export class ProducerError extends Error {
  override readonly name: string = 'ProducerError'
  readonly code: ProducerErrorCode

  constructor(code: ProducerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Whether the same events may land when they are sent again. */
  get retryable(): boolean {
    return PRODUCER_ERRORS[this.code].retryable
  }
}

/** Reports that some batches finally failed; like an AggregateError it holds their errors, the first 100 at most. */
export class FlushError extends ProducerError {
  override readonly name = 'FlushError'
  readonly errors: readonly ProducerError[]
  readonly failedBatches: number
  readonly failedEvents: number

  constructor({ errors, batches, events }: { errors: readonly ProducerError[]; batches: number; events: number }) {
    super('flush-failed', `not enqueued: events ${events}, in batches ${batches}; the first: ${errors[0]?.message}`)
    this.errors = errors
    this.failedBatches = batches
    this.failedEvents = events
  }

  override get retryable(): boolean {
    return this.errors.every((error) => error.retryable)
  }
}
