import type { TelemetryEvent } from '../event/telemetry-event.ts'
import type { ProducerError } from '../queue/producer-error.ts'

// The declarations of the package: they need neither Node.js types nor those of BullMQ and ioredis.

/** Numbers are whole; producer-settings.ts holds their defaults and bounds. */
export interface ProducerOptions {
  /** `redis://`, `rediss://` or `redis+unix://` URL, the path of a socket, or options of ioredis. */
  connection: string | object
  /** `telemetry`, unless the workers too are told otherwise. */
  queueName?: string
  /** Prefixes the queue's keys in Redis: `bull`, unless the workers too are told otherwise. */
  prefix?: string
  /** A batch is sent off at this many events: 1 to 10 000, 500 by default. More than that is hardly faster. */
  maxBatchEvents?: number
  /** ... or when its first event has waited this long: 0 to 3 600 000 ms, 1000 by default. */
  maxBatchAgeMs?: number
  /** Batches on their way to Redis at once: 1 to 64, 4 by default. */
  maxInFlightBatches?: number
  /** Events held in memory, those on their way included: maxBatchEvents to 10 000 000, 50 000 by default. */
  maxBufferedEvents?: number
  /** How long a batch is tried while Redis is away, full or behind: 0 (once) to 86 400 000 ms, 60 000 by default. */
  retryForMs?: number
  /** While this many jobs wait in the queue, batches are held back: 1 to 1 000 000 000, no limit by default. */
  backlogLimit?: number
  /** `queueTraces()` of `cooler-reports/traces`, or any telemetry of BullMQ; no traces by default. */
  traces?: object | undefined
  /** Hears of each failed try to connect (one in 2 s or so) and each batch that finally failed. It must not throw. */
  onError?: (error: ProducerError) => void
}

export interface Producer {
  /** Events that Redis has not acknowledged yet, those that still wait for room aside. */
  readonly bufferedEvents: number

  /**
   * Sends one event or many, grouped with those of other calls, in the order of the calls. Resolves when Redis has
   * acknowledged all of them. While the buffer is full they wait for room.
   *
   * Awaiting each event alone would take maxBatchAgeMs each time: hand over many, or await later.
   *
   * @throws ProducerError, by rejection: `event-not-serialisable`, `event-too-large` (64 KiB of JSON) and
   *   `producer-closed` refuse the whole call and affect no other one; `queue-unavailable`, `queue-full`
   *   (backlogLimit) and `queue-refused` (password, rights) where a batch with events of the call failed.
   */
  send(events: TelemetryEvent | readonly TelemetryEvent[]): Promise<void>

  /**
   * Sends events that are JSON texts already, one each, as `send` does but without reading or writing JSON: for who has
   * lines in a file or from a socket. A text that is no event is rejected by the workers.
   *
   * @throws ProducerError, by rejection: as `send`; `event-not-serialisable` where a text has a line feed in it
   */
  sendLines(lines: readonly string[]): Promise<void>

  /**
   * Makes exactly one job of the lines of a text (a string or UTF-8), one JSON event each, behind all that was sent
   * before: the cheapest way, for who has events as text already. Good events are packed into columns here, so that the
   * worker need not read them; all others go as they are, for the worker to reject. Blank lines are no events. Resolves
   * to the number of events.
   *
   * @param options.import the import of files that all of them are of, by which they can be erased: its id, when it
   *   started (epoch ms) and the names of the files
   * @throws ProducerError, by rejection: as `sendBatch`
   */
  sendText(
    text: string | Uint8Array,
    options?: { import?: { id: string; startedAt: number; files: string } | null },
  ): Promise<number>

  /**
   * Makes exactly one job of these events, without waiting for more, behind all that was sent before.
   *
   * @param options.receivedAt epoch ms at which an intake received the batch
   * @throws ProducerError, by rejection: as `send`, and `batch-too-long` (10 000 events), `batch-too-large` (32 MiB)
   */
  sendBatch(events: readonly TelemetryEvent[], options?: { receivedAt?: number }): Promise<void>

  /**
   * Resolves when all earlier events are buffered and there is room for more. Awaited between calls of send it lets a
   * long run of events go as fast as Redis takes it, in bounded memory.
   *
   * @throws ProducerError, by rejection: `producer-closed`
   */
  room(): Promise<void>

  /**
   * Sends off what has been handed over so far, and resolves when it is acknowledged.
   *
   * @throws FlushError, by rejection, where batches have failed since the last flush: who does not await each send
   *   misses nothing
   */
  flush(): Promise<void>

  /**
   * Flushes, then closes the connection, and refuses all later events. Where the flush fails the connection is closed
   * all the same. A second call gives the outcome of the first. Takes up to retryForMs while Redis is away.
   *
   * @throws FlushError, by rejection, as `flush`
   */
  close(): Promise<void>
}
