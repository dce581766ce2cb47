import type { Producer, ProducerOptions } from './producer-options.ts'
import { QueueProducer } from './queue-producer.ts'

export type { TelemetryEvent } from '../event/telemetry-event.ts'
export { FlushError, ProducerError, type ProducerErrorCode } from '../queue/producer-error.ts'
export type { Producer, ProducerOptions } from './producer-options.ts'

/**
 * Creates a producer, which puts events into the telemetry queue in batches.
 *
 *     const producer = createProducer({ connection: 'redis://127.0.0.1:6379' })
 *     for await (const events of readings) {
 *       await producer.room()
 *       producer.send(events).catch((error) => log.warn(error))
 *     }
 *     await producer.close()
 *
 * Acknowledged events are as durable as Redis is: with `appendfsync always` nothing is lost, with `everysec` a power
 * cut can lose a second, and without an append-only file a crash loses everything. Where a replica takes over, the
 * events that it had not received yet are lost.
 *
 * A failed batch may have landed all the same, if only the answer was lost. Sending it again is safe, and the producer
 * itself does so for retryForMs: the same event counts once, however often it lands. A process that dies loses the
 * events that have not been acknowledged to it.
 *
 * The producer does not validate the content of events. Workers reject bad events individually, and keep them so that
 * they can be read and corrected. `sendText` looks at events only to pack the valid ones.
 *
 * Errors are ProducerErrors with a stable `code`; `retryable` says whether the same events may land later.
 *
 * Costs one connection, one JSON.stringify of each event during the call (so changing the object later has no effect),
 * and memory for the text of the buffered events.
 *
 * @throws ProducerError `bad-option`
 */
export function createProducer(options: ProducerOptions): Producer {
  return new QueueProducer(options)
}
