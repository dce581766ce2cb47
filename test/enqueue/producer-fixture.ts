import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { createProducer, type Producer, type ProducerOptions } from '../../src/enqueue/producer.ts'
import type { BatchJob } from '../../src/event/batch-job.ts'
import type { TelemetryEvent } from '../../src/event/telemetry-event.ts'
import { TELEMETRY_QUEUE } from '../../src/queue/queue-contract.ts'
import { redisSocket, uniquePrefix } from '../helpers/redis.ts'

const AN_HOUR_MS = 3_600_000

export const powerEvent = (number: number): TelemetryEvent => ({
  deviceId: `cooler-${number}`,
  at: 1_764_547_200_000 + number,
  type: 'power',
  on: number % 2 === 0,
})

export const powerEvents = (count: number): TelemetryEvent[] =>
  Array.from({ length: count }, (_, number) => powerEvent(number))

export const lineOf = (event: TelemetryEvent): string => JSON.stringify(event)

export interface Fixture {
  producer: Producer
  queue: Queue<BatchJob>
  /** A connection of the test's own, for what BullMQ does not offer. */
  redis: Redis
  /** The data of the waiting jobs, first in first. */
  jobs(): Promise<BatchJob[]>
  /** The lines of each waiting job. */
  batches(): Promise<string[][]>
}

/** A producer on a queue of its own, whose batches are never too old unless the test says so; closed after the test. */
export function fixture(options: Partial<ProducerOptions> = {}): Fixture {
  const { connection = redisSocket(), prefix = uniquePrefix() } = options
  const redis = new Redis(connection as string)
  redis.on('error', () => {}) // Some tests kill the server.
  const queue = new Queue<BatchJob>(TELEMETRY_QUEUE, { connection: redis, prefix, skipMetasUpdate: true })
  queue.on('error', () => {})
  const producer = createProducer({ maxBatchAgeMs: AN_HOUR_MS, ...options, connection, prefix })
  onTestFinished(async () => {
    await producer.close().catch(() => {}) // Tests of failures leave failed batches behind.
    await queue.close()
    redis.disconnect()
  })
  const jobs = async (): Promise<BatchJob[]> => (await queue.getJobs(['waiting'], 0, -1, true)).map((job) => job.data)
  const batches = async (): Promise<string[][]> =>
    (await jobs()).map((data) => ('ndjson' in data ? data.ndjson.split('\n') : []))
  return { producer, queue, redis, jobs, batches }
}

/** The error that the promise rejects with. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it was expected to fail')
    },
    (error) => error,
  )
