import { Queue } from 'bullmq'
import { type Finding, fault, ok } from '../base/finding.ts'
import { parseRedisUrl, type RedisNode } from '../base/redis-url.ts'
import { failedReasons, malformedJobs } from './malformed-jobs.ts'
import { PRODUCER_QUEUE_OPTIONS, queuesOn, TELEMETRY_QUEUE } from './queue-contract.ts'
import { type QueueState, queueFindings } from './queue-findings.ts'
import { connectProducer, onConnectionError, type RedisClient, type RedisSource } from './redis-client.ts'
import { isRightKind, redisFindings } from './redis-findings.ts'
import { adviceOn } from './redis-refusal.ts'
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
  const client = connectProducer(redis, { once: true })
  let cause: Error | undefined
  onConnectionError(client, (error) => {
    cause = error
  })
  try {
    const from = performance.now()
    await within(PATIENCE_MS, client.connect())
    const answers = ok('redis', `${describeRedis(redis)} answers within ${Math.ceil(performance.now() - from)} ms`)
    return [answers, ...(await within(PATIENCE_MS, lookInside(client, backlogLimit)))]
  } catch (error) {
    const reason = cause ?? (error as Error)
    const advice = adviceOn(reason) ?? 'start Redis, or correct REDIS_URL; batches are refused until then'
    const message = `${describeRedis(redis)} cannot be reached or refuses: ${reason.message}`
    return [fault('redis', 'failure', message, advice)]
  } finally {
    client.disconnect()
  }
}

/** Describes which Redis it is, without users and passwords. */
function describeRedis(redis: RedisSource): string {
  const address = typeof redis === 'string' ? parseRedisUrl(redis) : redis
  if ('nodes' in address) return `the Redis Cluster at ${listed(address.nodes)}`
  const { db } = address
  const database = db ? `, database ${db}` : ''
  if ('sentinels' in address)
    return `Redis ${address.name}${database}, of the Sentinels at ${listed(address.sentinels ?? [])}`
  const { host, port, path } = address
  return `Redis at ${path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}`}${database}`
}

const listed = (nodes: readonly Partial<RedisNode>[]): string =>
  nodes.map(({ host, port }) => (host?.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)).join(', ')

async function lookInside(client: RedisClient, backlogLimit: number): Promise<Finding[]> {
  const state = await readRedisState(client)
  const settings = redisFindings(state)
  return isRightKind(state) ? [...settings, ...queueFindings(await readQueueState(client), backlogLimit)] : settings
}

async function readQueueState(client: RedisClient): Promise<QueueState> {
  const queue = new Queue(TELEMETRY_QUEUE, { ...PRODUCER_QUEUE_OPTIONS, skipMetasUpdate: true, ...queuesOn(client) })
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
