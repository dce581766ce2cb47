import type { Producer, ProducerOptions } from './producer-options.ts'
import { QueueProducer } from './queue-producer.ts'

export type { TelemetryEvent } from '../event/telemetry-event.ts'
export { FlushError, ProducerError, type ProducerErrorCode } from '../queue/producer-error.ts'
export type { Producer, ProducerOptions } from './producer-options.ts'

/**
 * A producer that puts events into the telemetry queue, in batches.
 *
 *     const producer = createProducer({ connection: 'redis://127.0.0.1:6379' })
 *     for await (const events of readings) {
 *       await producer.room()
 *       producer.send(events).catch((error) => log.warn(error))
 *     }
 *     await producer.close()
 *
 * Acknowledged is as durable as Redis is: with `appendfsync always` nothing is lost, with `everysec` a power cut can
 * cost a second, without an append-only file a crash costs all.
 *
 * A batch that failed may have landed all the same, only the answer lost. Sending it again is safe, and the producer
 * itself does so for retryForMs: the same event counts once, however often it lands. A process that dies loses what it
 * has not been told is acknowledged.
 *
 * No event is refused here for what it says. Workers reject bad ones, each alone, and keep them where they can be read
 * and mended; `sendText` looks at events only to pack those that are good.
 *
 * Errors are ProducerErrors with a stable `code`; `retryable` says whether the same events may land later.
 *
 * Costs one connection, one JSON.stringify of each event at the time of the call (changing the object later does not
 * matter), and the text of the buffered events as memory.
 *
 * @throws ProducerError `bad-option`
 */
export function createProducer(options: ProducerOptions): Producer {
  return new QueueProducer(options)
}
