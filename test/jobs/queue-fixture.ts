import { type Job, Queue } from 'bullmq'
import { expect, onTestFinished } from 'vitest'
import { formatDay, parseDay } from '../../src/base/time.ts'
import { BATCH_JOB, BATCH_JOB_OPTIONS, queuesOn, TELEMETRY_QUEUE } from '../../src/queue/queue-contract.ts'
import { connectWorker } from '../../src/queue/redis-client.ts'
import { ROLLUP_QUEUE, SHARD_QUEUES } from '../../src/queue/rollup-queue.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import type { RedisServer } from '../helpers/redis-server.ts'
import { type Settings, type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'

export interface FixtureQueues {
  batches: Queue
  rollups: Queue
  /** Jobs of shards of rollups. */
  shards: Queue
  /** A service on this Redis: without `work` it only takes batches in. */
  service(roles: { api?: boolean; work?: boolean }, settings?: Settings): Promise<TemporaryService>
  /** Adds a batch job as a producer of any language would; kept when it is done. */
  enqueue(data: unknown): Promise<Job>
}

export interface QueueFixture extends FixtureQueues {
  redis: RedisServer
}

/** A Redis of the test's own, since the names and the prefix of the queues are fixed. */
export async function queueFixture(): Promise<QueueFixture> {
  const redis = await privateRedis({ durable: true })
  return { redis, ...queuesAt(redis.socket) }
}

/** The queues of any Redis. */
export function queuesAt(url: string): FixtureQueues {
  const connection = connectWorker(url)
  connection.on('error', () => {}) // Some tests kill the server.
  const queue = (name: string): Queue => {
    const opened = new Queue(name, queuesOn(connection))
    opened.on('error', () => {})
    return opened
  }
  const batches = queue(TELEMETRY_QUEUE)
  const rollups = queue(ROLLUP_QUEUE)
  const shards = queue(SHARD_QUEUES.rollUp)
  onTestFinished(async () => {
    await Promise.all([batches.close(), rollups.close(), shards.close()])
    connection.disconnect()
  })
  return {
    batches,
    rollups,
    shards,
    service: ({ api = false, work = false }, settings) =>
      temporaryService({ api, work }, { REDIS_URL: url, ...settings }),
    enqueue: (data) => batches.add(BATCH_JOB, data, { ...BATCH_JOB_OPTIONS, removeOnComplete: false }),
  }
}

/** The job, when it has ended as expected. */
export async function ended(queue: Queue, { id }: Job, state: 'completed' | 'failed'): Promise<Job> {
  const stateOf = async (): Promise<string> => (await queue.getJobState(id as string)) as string
  await eventually(async () => /completed|failed/.test(await stateOf())).toBe(true)
  const job = (await queue.getJob(id as string)) as Job
  expect(await stateOf(), job.failedReason).toBe(state)
  return job
}

export const epochDay = (day: number): number => parseDay(day) as number

/** The entries of the daily report. */
export async function dailyReport({ pipeline }: TemporaryService, day: number): Promise<Record<string, unknown>[]> {
  const [fromDay, toDay] = [epochDay(day), epochDay(day)]
  const answer = JSON.parse(
    String(Buffer.from(await pipeline.reports.daily({ fromDay, toDay, within: null, now: Date.now() }))),
  )
  expect(answer.data.day).toBe(formatDay(fromDay))
  return answer.data.deviceStatusList
}
