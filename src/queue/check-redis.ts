import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { type Finding, fault, ok } from '../base/finding.ts'
import { parseRedisUrl } from '../base/redis-url.ts'
import { failedReasons, malformedJobs } from './malformed-jobs.ts'
import { PRODUCER_QUEUE_OPTIONS, producerConnection, type RedisSource, TELEMETRY_QUEUE } from './queue-contract.ts'
import { type QueueState, queueFindings } from './queue-findings.ts'
import { redisFindings } from './redis-findings.ts'
import { readRedisState } from './redis-state.ts'
import { within } from './within.ts'

const PATIENCE_MS = 5000

export interface RedisCheck {
  redis: RedisSource
  /** Most jobs that may wait in the telemetry queue. */
  backlogLimit: number
}

/** Checks a Redis and its telemetry queue over a separate connection; never rejects. */
export async function checkRedis({ redis, backlogLimit }: RedisCheck): Promise<Finding[]> {
  // No retries, because the check reports the present state.
  const client = new Redis({ ...producerConnection(redis), lazyConnect: true, retryStrategy: () => null })
  let cause: Error | undefined
  client.on('error', (error) => {
    cause = error
  })
  try {
    const from = performance.now()
    await within(PATIENCE_MS, client.connect())
    const answers = ok('redis', `${describeRedis(redis)} answers within ${Math.ceil(performance.now() - from)} ms`)
    return [answers, ...(await within(PATIENCE_MS, lookInside(client, backlogLimit)))]
  } catch (error) {
    const message = `${describeRedis(redis)} cannot be reached or refuses: ${(cause ?? (error as Error)).message}`
    return [fault('redis', 'failure', message, 'start Redis, or correct REDIS_URL; batches are refused until then')]
  } finally {
    client.disconnect()
  }
}

/** Describes which Redis it is, without user and password. */
function describeRedis(redis: RedisSource): string {
  const { host, port, path, db } = typeof redis === 'string' ? parseRedisUrl(redis) : redis
  return `Redis at ${path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}`}${db ? `, database ${db}` : ''}`
}

async function lookInside(client: Redis, backlogLimit: number): Promise<Finding[]> {
  const settings = redisFindings(await readRedisState(client))
  return [...settings, ...queueFindings(await readQueueState(client), backlogLimit)]
}

async function readQueueState(client: Redis): Promise<QueueState> {
  const queue = new Queue(TELEMETRY_QUEUE, { ...PRODUCER_QUEUE_OPTIONS, skipMetasUpdate: true, connection: client })
  queue.on('error', () => {}) // The client's listener receives the error.
  try {
    const [waiting, failed] = await Promise.all([queue.getWaitingCount(), queue.getFailedCount()])
    const [oldest] = await queue.getRanges(['waiting'], 0, 0, true)
    const [lastFailed] = await queue.getRanges(['failed'], 0, 0, false)
    // Only these fields are read, because a job may be large or malformed.
    const since = oldest === undefined ? null : await client.hget(queue.toKey(oldest), 'timestamp')
    const [lastFailedReason = null] = lastFailed === undefined ? [] : await failedReasons(queue, client, [lastFailed])
    const workers = await queue.getWorkersCount().catch(() => null) // CLIENT LIST may be refused.
    return {
      waiting,
      failed,
      workers,
      oldestWaitingMs: Number(since) > 0 ? Date.now() - Number(since) : 0,
      lastFailedReason,
      malformed: await malformedJobs(queue, client),
    }
  } finally {
    await queue.close()
  }
}
