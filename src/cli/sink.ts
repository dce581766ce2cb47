import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { MAX_BATCH_BYTES, MAX_EVENT_BYTES } from '../event/batch-job.ts'
import type { ImportNote } from '../event/import-note.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import { queueLine } from '../ingest/packed/queue-line.ts'
import { logErrors } from '../service/log-errors.ts'
import { openTraces } from '../service/open-traces.ts'
import { openPipeline } from '../service/pipeline.ts'
import { watchStore } from '../service/watch-store.ts'
import { UsageError } from './context.ts'

/** The destination of the events that a command makes: the store, or the queue for the workers of a service. */
export interface Sink {
  /** Resolves when all events are durable. Retries for ever while the store or the queue cannot take them. */
  put(events: Iterable<unknown>): Promise<void>
  /** Like `put`, for events that are lines already; each is at most MAX_EVENT_BYTES long. */
  putLines(lines: Iterable<string>): Promise<void>
  /** Number of events that were put and, if they landed here, how many of them were rejected. */
  readonly counts: { events: number; rejected: number }
  close(): Promise<void>
}

const PAUSE_MS = 1000
/** Batches that wait for one commit. */
const BATCHES_IN_HAND = 64

export interface SinkOptions {
  queue: boolean
  /** Stops the waiting for a store or a queue. Events that have not been stored by then fail. */
  signal?: AbortSignal | undefined
  /** The import that all events belong to; none by default. */
  import?: ImportNote
}

/** Opens the sink of a command: the queue, or the store. */
export async function openSink(
  config: Config,
  logger: Logger,
  { queue, signal, import: note }: SinkOptions,
): Promise<Sink> {
  const counts = { events: 0, rejected: 0 }
  const { send, close } = queue ? await queueOf(config, logger, note) : await storeOf(config, logger, note)
  async function putLines(lines: Iterable<string>): Promise<void> {
    for (const batch of batchesOf(lines)) {
      counts.rejected += await patiently(() => send(batch), logger, signal)
      counts.events += batch.length
    }
  }
  return { counts, putLines, put: (events) => putLines(linesOf(events)), close }
}

function* linesOf(events: Iterable<unknown>): Generator<string> {
  for (const event of events) yield lineOf(event)
}

/** Returns an event as a line. If it is too large for a queue, the line is the start of its text and is rejected. */
export function lineOf(event: unknown): string {
  const line = queueLine({ value: event })
  return Buffer.byteLength(line) <= MAX_EVENT_BYTES ? line : JSON.stringify(line.slice(0, MAX_EVENT_BYTES / 8))
}

/** Splits lines into batches within the limits of events and bytes. */
function* batchesOf(lines: Iterable<string>): Generator<string[]> {
  let [batch, bytes]: [string[], number] = [[], 0]
  for (const line of lines) {
    const size = Buffer.byteLength(line)
    if (batch.length === MAX_BATCH_EVENTS || bytes + size > MAX_BATCH_BYTES / 2) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(line)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

interface Outlet {
  /** Sends lines and returns how many events were rejected, as far as that is known. */
  send(lines: readonly string[]): Promise<number>
  close(): Promise<void>
}

async function storeOf(config: Config, logger: Logger, note: ImportNote | undefined): Promise<Outlet> {
  const pipeline = await openPipeline(config, { batchesInHand: BATCHES_IN_HAND })
  const onError = logErrors(logger)
  const unwatch = watchStore(pipeline, { logger, onTooNew: onError, onError })
  return {
    async send(lines) {
      const batch = { ndjson: Buffer.from(lines.join('\n')), import: note ?? null }
      return (await pipeline.ingest.run('land', batch)).rejected
    },
    close: () => unwatch().then(() => pipeline.close()),
  }
}

async function queueOf(config: Config, logger: Logger, note: ImportNote | undefined): Promise<Outlet> {
  const { redisUrl, backlogLimit } = config
  if (redisUrl === null) throw new UsageError('--queue needs REDIS_URL')
  const { createProducer } = await import('../enqueue/producer.ts')
  const onError = (error: Error): void => logger.warn({ err: error }, 'the queue takes nothing: trying again')
  const traces = await openTraces(config, logger)
  const options = { backlogLimit, maxInFlightBatches: BATCHES_IN_HAND, traces, onError }
  const producer = createProducer({ connection: redisUrl, ...options })
  return {
    async send(lines) {
      await producer.sendText(lines.join('\n'), { import: note ?? null })
      return 0
    },
    // Callers of `put` have already received each failure.
    close: () => producer.close().catch(() => undefined),
  }
}

/** Retries the work as long as its errors are retryable, or until `signal` aborts the waiting. */
export async function patiently<Result>(
  work: () => Promise<Result>,
  logger: Logger,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error as { retryable?: boolean }).retryable) throw error
      logger.warn({ err: error }, 'events cannot be put down: trying again')
      await sleep(PAUSE_MS, undefined, { signal })
    }
  }
}
