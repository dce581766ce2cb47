import type { JobsOptions, QueueOptions, Telemetry } from 'bullmq'
import type { Redis } from 'ioredis'
import { nodeOf, type RedisClient, topologyOf } from './redis-client.ts'

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

/** Makes trace spans of operations on jobs; traces.ts implements it for OpenTelemetry. */
export type QueueTraces = Telemetry

/** Returns the tracing options to spread into those of a Queue or Worker. */
export const tracedBy = (traces: QueueTraces | undefined): { telemetry?: QueueTraces } =>
  traces === undefined ? {} : { telemetry: traces }

/**
 * Returns the prefix of all keys of the queues. On a Redis Cluster it is a hash tag, because BullMQ's scripts need all
 * keys of a queue in one slot. Elsewhere it is BullMQ's default, so that jobs queued by earlier versions are found.
 */
export const keyPrefixOn = (client: RedisClient): string => (topologyOf(client) === 'cluster' ? '{cooler}' : 'bull')

/**
 * Returns the connection to the server that holds the queues: in a Redis Cluster, to the master of their slot.
 *
 * @throws Error if the cluster has no such node at present
 */
export const queueNodeOn = (client: RedisClient): Redis => nodeOf(client, keyPrefixOn(client))

/** Tells whether all keys that begin like this are in one slot of a Redis Cluster. */
export const hasHashTag = (keyStart: string): boolean => /^[^{]*\{[^}]+\}/.test(keyStart)

/** The connection and the prefix of a Queue, Worker or QueueEvents, to spread into its options. */
export interface QueuePlace {
  connection: RedisClient
  prefix: string
}

/** Returns where on a Redis the queues are. */
export const queuesOn = (connection: RedisClient): QueuePlace => ({ connection, prefix: keyPrefixOn(connection) })

/**
 * Options of a Queue that adds batches; use them together with `queuesOn(connectProducer(...))`.
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
