import { CoolerError } from '../base/errors.ts'
import { MAX_BATCH_BYTES } from '../event/batch-job.ts'
import type { ImportNote } from '../event/import-note.ts'
import { MAX_BATCH_EVENTS, type TelemetryEvent } from '../event/telemetry-event.ts'
import { type PackedJob, packLines } from '../ingest/packed/pack-batch.ts'
import { ProducerError } from '../queue/producer-error.ts'
import type { QueueTraces } from '../queue/queue-contract.ts'
import { type Batch, BatchBuffer, SendCall } from './batch-buffer.ts'
import { BatchSender, type SenderOptions } from './batch-sender.ts'
import { eventLine, requireShortLines, textLine } from './event-line.ts'
import { FailedBatches } from './failed-batches.ts'
import type { Producer, ProducerOptions } from './producer-options.ts'
import { producerSettings } from './producer-settings.ts'

/** The producer for a BullMQ queue: serialises events, buffers them into batches and sends these. See Producer. */
export class QueueProducer implements Producer {
  readonly #buffer: BatchBuffer
  readonly #sender: BatchSender
  readonly #onError: (error: ProducerError) => void
  readonly #failed = new FailedBatches()
  readonly #unsettled = new Set<Promise<void>>()
  #closing: Promise<void> | undefined

  constructor(options: ProducerOptions) {
    const settings = producerSettings(options)
    const { connection, queueName, prefix, traces, onError = () => {} } = options // flush and close report errors, too.
    this.#onError = onError
    this.#buffer = new BatchBuffer(settings, (batch) => this.#enqueue(batch))
    const sending = { connection, queueName, prefix, traces: traces as QueueTraces | undefined }
    this.#sender = openSender({ ...settings, ...sending, onConnectionError: onError })
  }

  get bufferedEvents(): number {
    return this.#buffer.bufferedEvents
  }

  send(events: TelemetryEvent | readonly TelemetryEvent[]): Promise<void> {
    return this.#call(() => {
      const lines = (Array.isArray(events) ? events : [events]).map(eventLine)
      return (call) => this.#buffer.add(call, lines)
    })
  }

  sendLines(lines: readonly string[]): Promise<void> {
    return this.#call(() => {
      const checked = lines.map(textLine)
      return (call) => this.#buffer.add(call, checked)
    })
  }

  async sendText(text: string | Uint8Array, { import: note }: { import?: ImportNote | null } = {}): Promise<number> {
    let events = 0
    await this.#call(() => {
      const bytes =
        typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.length)
      refuseTooLarge(bytes.length)
      requireShortLines(bytes)
      const pack = packedLines(bytes)
      events = pack.events
      const job = note == null ? pack.job : { ...pack.job, import: note }
      return (call) => (events === 0 ? call.settled() : this.#buffer.addWhole(call, events, job))
    })
    return events
  }

  sendBatch(events: readonly TelemetryEvent[], { receivedAt }: { receivedAt?: number } = {}): Promise<void> {
    return this.#call(() => {
      if (events.length > MAX_BATCH_EVENTS) throw tooLong(`this one ${events.length}`)
      const lines = events.map(eventLine)
      refuseTooLarge(lines.reduce((sum, { bytes }) => sum + bytes, 0))
      const received = receivedAt === undefined ? {} : { receivedAt }
      const job = { ndjson: lines.map(({ text }) => text).join('\n'), ...received }
      return (call) => (events.length === 0 ? call.settled() : this.#buffer.addWhole(call, events.length, job))
    })
  }

  async room(): Promise<void> {
    this.#refuseWhenClosed()
    await this.#buffer.room()
  }

  async flush(): Promise<void> {
    await this.#buffer.closeOpen()
    await Promise.all(this.#unsettled)
    this.#failed.throwAny()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      await this.#sender.close()
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closing === undefined) return
    throw new ProducerError('producer-closed', 'this producer is closed: create another one')
  }

  /** Runs a call of a send method. If `prepare` throws, rejects before any event of the call is buffered. */
  #call(prepare: () => (call: SendCall) => void): Promise<void> {
    try {
      this.#refuseWhenClosed()
      const enter = prepare()
      const call = new SendCall()
      call.acknowledged.catch(() => {}) // If the caller does not await it, flush or close report the failure.
      enter(call)
      return call.acknowledged
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #enqueue(batch: Batch): void {
    const settled = this.#deliver(batch).finally(() => this.#unsettled.delete(settled))
    this.#unsettled.add(settled)
  }

  /** Sends a batch and settles its calls. Never rejects. */
  async #deliver(batch: Batch): Promise<void> {
    const { calls, events } = batch
    const error = await this.#sender.send(batch.job()).then(noError, (reason: ProducerError) => reason)
    if (error !== undefined) this.#failed.add(error, events)
    this.#buffer.release(batch)
    for (const call of calls) call.settled(error)
    if (error !== undefined) this.#onError(error)
  }
}

/** Packs the lines of a text into a job. @throws ProducerError `batch-too-long` */
function packedLines(bytes: Buffer): PackedJob {
  try {
    return packLines(bytes, Date.now())
  } catch (error) {
    if (error instanceof CoolerError) throw tooLong('this one more')
    throw error
  }
}

const noError = (): undefined => undefined

function openSender(options: SenderOptions): BatchSender {
  try {
    return new BatchSender(options)
  } catch (error) {
    throw new ProducerError('bad-option', `connection, queueName or prefix: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function tooLong(thisOne: string): ProducerError {
  const limit = `a batch holds at most ${MAX_BATCH_EVENTS} events, ${thisOne}`
  return new ProducerError('batch-too-long', `${limit}: send it in parts, or with send()`)
}

function refuseTooLarge(bytes: number): void {
  if (bytes <= MAX_BATCH_BYTES) return
  const limit = `a batch holds at most ${MAX_BATCH_BYTES} bytes of JSON, this one ${bytes}`
  throw new ProducerError('batch-too-large', `${limit}: send it in parts, or with send()`)
}
