import { type BatchJob, MAX_BATCH_BYTES } from '../event/batch-job.ts'
import type { EventLine } from './event-line.ts'

/** One call of a send method. Settles when all batches with its events have; rejects as soon as one of them fails. */
export class SendCall {
  readonly acknowledged: Promise<void>
  #resolve!: () => void
  #reject!: (error: Error) => void
  /** Unsettled batches with events of this call, plus 1 while some of its events are not in a batch yet. */
  #unsettled = 1

  constructor() {
    this.acknowledged = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  enters(batch: Batch): void {
    if (batch.calls.at(-1) === this) return
    batch.calls.push(this)
    this.#unsettled++
  }

  settled(error?: Error): void {
    this.#unsettled--
    if (error !== undefined) this.#reject(error)
    else if (this.#unsettled === 0) this.#resolve()
  }
}

/** Events that go into one job, and the calls that sent them. */
export interface Batch {
  readonly calls: SendCall[]
  readonly events: number
  /** Makes the job for the queue. */
  job(): BatchJob
}

/** A batch that grows event by event. */
class OpenBatch implements Batch {
  readonly calls: SendCall[] = []
  readonly #texts: string[] = []
  bytes = 0

  get events(): number {
    return this.#texts.length
  }

  add(call: SendCall, { text, bytes }: EventLine): void {
    this.#texts.push(text)
    this.bytes += bytes
    call.enters(this)
  }

  job(): BatchJob {
    return { ndjson: this.#texts.join('\n') }
  }
}

export interface BufferLimits {
  maxBatchEvents: number
  maxBatchAgeMs: number
  maxBufferedEvents: number
}

/**
 * Groups events into batches, in the order of the calls.
 *
 *     add --(waits for its turn, and for room)--> open batch --(full, too old, closeOpen)--> onClosed --> release
 *                     not buffered                |-------------------- buffered events -------------------|
 *
 * An event counts as buffered until its batch is released, so that batches on their way to Redis take up room too.
 */
export class BatchBuffer {
  readonly #limits: BufferLimits
  readonly #onClosed: (batch: Batch) => void
  #open: OpenBatch | undefined
  #ageTimer: NodeJS.Timeout | undefined
  #buffered = 0
  /** Resolves when the last call has entered; calls enter one after the other. Never rejects. */
  #turn: Promise<void> = Promise.resolve()
  #onRelease: (() => void) | undefined

  constructor(limits: BufferLimits, onClosed: (batch: Batch) => void) {
    this.#limits = limits
    this.#onClosed = onClosed
  }

  get bufferedEvents(): number {
    return this.#buffered
  }

  /** Puts the events into open batches as room becomes available. */
  add(call: SendCall, lines: readonly EventLine[]): void {
    void this.#inTurn(async () => {
      for (const line of lines) {
        if (!this.#hasRoomFor(1)) await this.#room(1)
        this.#append(call, line)
      }
      call.settled()
    })
  }

  /** Makes one batch of exactly these events, after all earlier ones. */
  addWhole(call: SendCall, events: number, job: BatchJob): void {
    void this.#inTurn(async () => {
      this.#closeOpen()
      await this.#room(events)
      this.#buffered += events
      const batch: Batch = { calls: [], events, job: () => job }
      call.enters(batch)
      call.settled()
      this.#onClosed(batch)
    })
  }

  /** Resolves when all events added before are in closed batches. */
  closeOpen(): Promise<void> {
    return this.#inTurn(() => this.#closeOpen())
  }

  /** Resolves when all events added before are buffered and there is room for one more. */
  room(): Promise<void> {
    return this.#inTurn(() => this.#room(1))
  }

  /** Frees the room of a batch that has been acknowledged or has finally failed. */
  release(batch: Batch): void {
    this.#buffered -= batch.events
    this.#onRelease?.()
  }

  #inTurn(step: () => void | Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(step)
    return this.#turn
  }

  /** Tells whether there is room. Batches larger than the whole buffer may enter when it is empty. */
  #hasRoomFor(events: number): boolean {
    return this.#buffered + events <= this.#limits.maxBufferedEvents || this.#buffered === 0
  }

  async #room(events: number): Promise<void> {
    while (!this.#hasRoomFor(events)) {
      await new Promise<void>((resolve) => {
        this.#onRelease = resolve
      })
    }
    this.#onRelease = undefined
  }

  #append(call: SendCall, line: EventLine): void {
    if (this.#open !== undefined && this.#open.bytes + line.bytes > MAX_BATCH_BYTES) this.#closeOpen()
    const batch = (this.#open ??= this.#start())
    batch.add(call, line)
    this.#buffered++
    if (batch.events >= this.#limits.maxBatchEvents) this.#closeOpen()
  }

  #start(): OpenBatch {
    // Not unref'd: a process must not end while it holds events that nobody has acknowledged.
    this.#ageTimer = setTimeout(() => this.#closeOpen(), this.#limits.maxBatchAgeMs)
    return new OpenBatch()
  }

  #closeOpen(): void {
    clearTimeout(this.#ageTimer)
    const batch = this.#open
    this.#open = undefined
    if (batch !== undefined) this.#onClosed(batch)
  }
}
