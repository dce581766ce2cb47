import type { TelemetryEvent } from '../event/telemetry-event.ts'
import type { ProducerError } from '../queue/producer-error.ts'

// The type declarations of the package. They need neither the types of Node.js nor those of BullMQ and ioredis.

/** Options of a producer. Numbers are integers; producer-settings.ts holds their defaults and bounds. */
export interface ProducerOptions {
  /**
   * A Redis URL: `redis://host`, `redis+sentinel://host,host/name`, `redis+cluster://host,host` (`rediss` for TLS) or
   * `redis+unix:///path`; the path of a socket; or ioredis options.
   */
  connection: string | object
  /** `telemetry` by default; workers must use the same name. */
  queueName?: string
  /**
   * Prefix of the queue's keys in Redis; workers must use the same. By default `bull`, and on a Redis Cluster `{cooler}`:
   * there the prefix must have a hash tag.
   */
  prefix?: string
  /** A batch is sent when it has this many events: 1 to 10 000, 500 by default. More than 500 is hardly faster. */
  maxBatchEvents?: number
  /** ... or when its first event has waited this long: 0 to 3 600 000 ms, 1000 by default. */
  maxBatchAgeMs?: number
  /** Batches on their way to Redis at once: 1 to 64, 4 by default. */
  maxInFlightBatches?: number
  /** Events held in memory, including those on their way: maxBatchEvents to 10 000 000, 50 000 by default. */
  maxBufferedEvents?: number
  /** How long a batch is retried while Redis is away, full or slow: 0 (one try) to 86 400 000 ms, 60 000 by default. */
  retryForMs?: number
  /** While this many jobs wait in the queue, batches are held back: 1 to 1 000 000 000, no limit by default. */
  backlogLimit?: number
  /** `queueTraces()` of `cooler-reports/traces`, or any BullMQ telemetry; no traces by default. */
  traces?: object | undefined
  /** Called for each failed try to connect (about one in 2 s) and each batch that finally failed. Must not throw. */
  onError?: (error: ProducerError) => void
}

export interface Producer {
  /** Number of events that Redis has not acknowledged yet, excluding events that still wait for room. */
  readonly bufferedEvents: number

  /**
   * Sends one or more events, batched with the events of other calls, in the order of the calls. Resolves when Redis
   * has acknowledged all of them. While the buffer is full, the events wait for room.
   *
   * Awaiting each event separately takes maxBatchAgeMs each time: send many at once, or await later.
   *
   * @throws ProducerError, by rejection: `event-not-serialisable`, `event-too-large` (64 KiB of JSON) and
   *   `producer-closed` refuse the whole call and affect no other call; `queue-unavailable`, `queue-full`
   *   (backlogLimit) and `queue-refused` (password, rights) if a batch with events of the call failed.
   */
  send(events: TelemetryEvent | readonly TelemetryEvent[]): Promise<void>

  /**
   * Sends JSON texts of one event each, as `send` does but without reading or writing JSON. Meant for lines from a file
   * or a socket. Workers reject texts that are not events.
   *
   * @throws ProducerError, by rejection: as `send`; `event-not-serialisable` if a text contains a line feed
   */
  sendLines(lines: readonly string[]): Promise<void>

  /**
   * Makes exactly one job of the lines of a text (a string or UTF-8), one JSON event each, after all earlier events. It
   * is the cheapest way to send events that are already text. Valid events are packed into columns here, so that the
   * worker need not parse them; all others go as they are, for the worker to reject. Blank lines are skipped. Resolves
   * to the number of events.
   *
   * @param options.import the file import that all the events belong to, by which they can be erased: its id, when it
   *   started (epoch ms) and the names of the files
   * @throws ProducerError, by rejection: as `sendBatch`
   */
  sendText(
    text: string | Uint8Array,
    options?: { import?: { id: string; startedAt: number; files: string } | null },
  ): Promise<number>

  /**
   * Makes exactly one job of these events, without waiting for more, after all earlier events.
   *
   * @param options.receivedAt epoch ms at which an intake received the batch
   * @throws ProducerError, by rejection: as `send`, and `batch-too-long` (10 000 events), `batch-too-large` (32 MiB)
   */
  sendBatch(events: readonly TelemetryEvent[], options?: { receivedAt?: number }): Promise<void>

  /**
   * Resolves when all earlier events are buffered and there is room for more. Await it between calls of send to send
   * many events as fast as Redis takes them, in bounded memory.
   *
   * @throws ProducerError, by rejection: `producer-closed`
   */
  room(): Promise<void>

  /**
   * Sends all events handed over so far, and resolves when they are acknowledged.
   *
   * @throws FlushError, by rejection, if batches have failed since the last flush, so that callers who do not await
   *   each send miss no failure
   */
  flush(): Promise<void>

  /**
   * Flushes, then closes the connection, and refuses all later events. The connection is closed even if the flush
   * fails. A second call has the outcome of the first. Takes up to retryForMs while Redis is away.
   *
   * @throws FlushError, by rejection, as `flush`
   */
  close(): Promise<void>
}
