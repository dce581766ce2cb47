import type { JobsOptions, QueueOptions, RedisOptions, Telemetry } from 'bullmq'
import { parseRedisUrl } from '../base/redis-url.ts'

/**
 * What producers and workers agree on. A producer in any language may enqueue: a BullMQ job BATCH_JOB of queue
 * TELEMETRY_QUEUE whose data is a BatchJob of at most MAX_BATCH_EVENTS events.
 */

export const TELEMETRY_QUEUE = 'telemetry'
export const BATCH_JOB = 'batch'

const secondsInDay = 24 * 3600

/**
 * A batch that fails is tried 8 times within some two minutes, and then kept as failed for 14 days, where it can be
 * retried by hand; one whose store cannot be written does not fail, it waits. One that is done leaves Redis at once:
 * BullMQ removes old jobs only when another one ends, and in a Redis that is full none can come.
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

/** Makes spans of what is done with jobs; traces.ts has one for OpenTelemetry. */
export type QueueTraces = Telemetry

/** To be spread among the options of a Queue or Worker. */
export const tracedBy = (traces: QueueTraces | undefined): { telemetry?: QueueTraces } =>
  traces === undefined ? {} : { telemetry: traces }

/** Soon after a first loss, then ever more slowly, at most 2 s apart, for as long as it takes. */
const retryStrategy = (attempt: number): number =>
  Math.min(2000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

const optionsOf = (redis: RedisSource): RedisOptions => ({
  retryStrategy,
  ...(typeof redis === 'string' ? parseRedisUrl(redis) : redis),
})

/**
 * Connection of whoever adds jobs: a command fails at once while Redis is away, rather than be held back and run after
 * its caller has given up. A connection that is silent for 10 s with a command on its way is taken for dead.
 *
 * @throws TypeError where the URL is none (parseRedisUrl).
 */
export function producerConnection(redis: RedisSource): RedisOptions {
  // disconnectTimeout: ioredis keeps a timer this long for a socket that does not close by itself.
  const soonOver = { socketTimeout: 10_000, disconnectTimeout: 100 }
  return { ...soonOver, ...optionsOf(redis), enableOfflineQueue: false, maxRetriesPerRequest: 1 }
}

/**
 * Connection of a worker: it waits for Redis as long as it takes.
 *
 * @throws TypeError where the URL is none (parseRedisUrl).
 */
export function workerConnection(redis: RedisSource): RedisOptions {
  return { ...optionsOf(redis), maxRetriesPerRequest: null }
}

/**
 * Options of a Queue that adds batches, to be spread beside `connection: new Redis(producerConnection(...))`.
 *
 * Without `skipWaitingForReady` BullMQ would hold the first add until Redis is there. Without `skipVersionCheck` a
 * queue that was made while Redis was away would stay unusable for ever: the check runs once, fails, and every later
 * call fails with its error (bullmq 6.7).
 */
export const PRODUCER_QUEUE_OPTIONS = {
  skipWaitingForReady: true,
  skipVersionCheck: true,
  defaultJobOptions: BATCH_JOB_OPTIONS,
} as const satisfies Partial<QueueOptions>
