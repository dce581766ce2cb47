import type { JobsOptions, QueueOptions, RedisOptions, Telemetry } from 'bullmq'
import { parseRedisUrl } from '../base/redis-url.ts'

/**
 * The contract between producers and workers. A producer in any language may enqueue a BullMQ job BATCH_JOB to queue
 * TELEMETRY_QUEUE, whose data is a BatchJob of at most MAX_BATCH_EVENTS events.
 */

export const TELEMETRY_QUEUE = 'telemetry'
export const BATCH_JOB = 'batch'

const secondsInDay = 24 * 3600

/**
 * A failing batch is tried 8 times within some two minutes, and then kept as failed for 14 days, so that it can be
 * retried by hand. A batch whose store cannot be written waits instead of failing. A finished batch leaves Redis at
 * once: BullMQ removes old jobs only when another job ends, and no job can be added to a Redis that is full.
 */
export const BATCH_JOB_OPTIONS = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: { age: 14 * secondsInDay },
  stackTraceLimit: 3,
} as const satisfies JobsOptions

/** A Redis URL (see parseRedisUrl) or ioredis options. */
export type RedisSource = string | RedisOptions

/** Makes trace spans of operations on jobs; traces.ts implements it for OpenTelemetry. */
export type QueueTraces = Telemetry

/** Returns the tracing options to spread into those of a Queue or Worker. */
export const tracedBy = (traces: QueueTraces | undefined): { telemetry?: QueueTraces } =>
  traces === undefined ? {} : { telemetry: traces }

/** Returns the ms to wait before reconnecting: short at first, then longer, at most 2 s. Never gives up. */
const retryStrategy = (attempt: number): number =>
  Math.min(2000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

const optionsOf = (redis: RedisSource): RedisOptions => ({
  retryStrategy,
  ...(typeof redis === 'string' ? parseRedisUrl(redis) : redis),
})

/**
 * Returns options for connections that add jobs. While Redis is away a command fails at once, so that it does not run
 * after its caller has given up. A connection that is silent for 10 s with a command pending is considered dead.
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export function producerConnection(redis: RedisSource): RedisOptions {
  // disconnectTimeout: how long ioredis keeps a timer for a socket that does not close by itself.
  const soonOver = { socketTimeout: 10_000, disconnectTimeout: 100 }
  return { ...soonOver, ...optionsOf(redis), enableOfflineQueue: false, maxRetriesPerRequest: 1 }
}

/**
 * Returns options for the connection of a worker, which waits for Redis without limit.
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export function workerConnection(redis: RedisSource): RedisOptions {
  return { ...optionsOf(redis), maxRetriesPerRequest: null }
}

/**
 * Options of a Queue that adds batches; use them together with `connection: new Redis(producerConnection(...))`.
 *
 * Without `skipWaitingForReady` BullMQ would hold the first add until Redis is there. Without `skipVersionCheck` a
 * queue created while Redis is away would stay unusable for ever: the check runs only once, and after it has failed
 * every later call fails with its error (bullmq 6.7).
 */
export const PRODUCER_QUEUE_OPTIONS = {
  skipWaitingForReady: true,
  skipVersionCheck: true,
  defaultJobOptions: BATCH_JOB_OPTIONS,
} as const satisfies Partial<QueueOptions>
