import { type Batch, BatchBuffer, SendCall } from './batch-buffer.ts'
import { BatchSender, type SenderOptions } from './batch-sender.ts'
import { type EventLine, eventLine, textLine, textLines } from './event-line.ts'
import { FailedBatches } from './failed-batches.ts'
import type { Producer, ProducerOptions } from './producer.ts'
import { ProducerError } from './producer-error.ts'
import { producerSettings } from './producer-settings.ts'
import { MAX_BATCH_BYTES } from './queue-contract.ts'
import { MAX_BATCH_EVENTS, type TelemetryEvent } from './telemetry-event.ts'

/** The producer on a BullMQ queue: serialises, then buffers into batches, then sends. Producer says what calls do. */
export class QueueProducer implements Producer {
  readonly #buffer: BatchBuffer
  readonly #sender: BatchSender
  readonly #onError: (error: ProducerError) => void
  readonly #failed = new FailedBatches()
  readonly #unsettled = new Set<Promise<void>>()
  #closing: Promise<void> | undefined

  constructor(options: ProducerOptions) {
    const settings = producerSettings(options)
    const { connection, queueName, prefix, onError = () => {} } = options // No listener: flush and close tell it.
    this.#onError = onError
    this.#buffer = new BatchBuffer(settings, (batch) => this.#enqueue(batch))
    this.#sender = openSender({ ...settings, connection, queueName, prefix, onConnectionError: onError })
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

  async sendText(text: string): Promise<number> {
    const events = countLines(text)
    await this.#call(() => {
      if (events > MAX_BATCH_EVENTS) throw tooLong(events)
      const whole = [textLines(text, events)]
      refuseTooLarge(whole)
      return (call) => (events === 0 ? call.settled() : this.#buffer.addWhole(call, whole))
    })
    return events
  }

  sendBatch(events: readonly TelemetryEvent[], { receivedAt }: { receivedAt?: number } = {}): Promise<void> {
    return this.#call(() => {
      if (events.length > MAX_BATCH_EVENTS) throw tooLong(events.length)
      const lines = events.map(eventLine)
      refuseTooLarge(lines)
      return (call) => (lines.length === 0 ? call.settled() : this.#buffer.addWhole(call, lines, receivedAt))
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

  /** Refuses the call where `prepare` throws, before any of its events is buffered. */
  #call(prepare: () => (call: SendCall) => void): Promise<void> {
    try {
      this.#refuseWhenClosed()
      const enter = prepare()
      const call = new SendCall()
      call.acknowledged.catch(() => {}) // Who does not await a send hears of failed batches by the next flush or close.
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

  /** Never rejects. */
  async #deliver(batch: Batch): Promise<void> {
    const { texts, calls, events, receivedAt } = batch
    const data = { ndjson: texts.join('\n'), ...(receivedAt === undefined ? {} : { receivedAt }) }
    const error = await this.#sender.send(data).then(noError, (reason: ProducerError) => reason)
    if (error !== undefined) this.#failed.add(error, events)
    this.#buffer.release(batch)
    for (const call of calls) call.settled(error)
    if (error !== undefined) this.#onError(error)
  }
}

/** Lines that are not blank. */
function countLines(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start)
    const end = feed < 0 ? text.length : feed
    // Most lines begin with a brace: only where one does not is there anything to look at.
    if (text.charCodeAt(start) > 0x20 || text.slice(start, end).trim() !== '') count++
    start = end + 1
  }
  return count
}

const noError = (): undefined => undefined

function openSender(options: SenderOptions): BatchSender {
  try {
    return new BatchSender(options)
  } catch (error) {
    throw new ProducerError('bad-option', `connection or queueName: ${(error as Error).message}`, { cause: error })
  }
}

function tooLong(events: number): ProducerError {
  const limit = `a batch holds at most ${MAX_BATCH_EVENTS} events, this one ${events}`
  return new ProducerError('batch-too-long', `${limit}: send it in parts, or with send()`)
}

function refuseTooLarge(lines: readonly EventLine[]): void {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  if (bytes <= MAX_BATCH_BYTES) return
  const limit = `a batch holds at most ${MAX_BATCH_BYTES} bytes of JSON, this one ${bytes}`
  throw new ProducerError('batch-too-large', `${limit}: send it in parts, or with send()`)
}
