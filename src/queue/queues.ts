import { type Job, Queue, QueueEvents } from 'bullmq'
import { CoolerError } from '../base/errors.ts'
import type { Finding } from '../base/finding.ts'
import type { Threads } from '../base/threads.ts'
import type { BatchJob } from '../event/batch-job.ts'
import type { IngestTasks } from '../ingest/ingest-thread.ts'
import type { Intake } from '../ingest/intake.ts'
import type { RollupResult } from '../rollup/rollup-request.ts'
import type { Rollups } from '../rollup/rollups.ts'
import type { QueueBoard } from './board.ts'
import { closedOrStuck } from './closed-or-stuck.ts'
import { firstConnection } from './first-connection.ts'
import { openBacklog } from './open-backlog.ts'
import { ProducerError } from './producer-error.ts'
import {
  BATCH_JOB,
  PRODUCER_QUEUE_OPTIONS,
  type QueueTraces,
  queuesOn,
  TELEMETRY_QUEUE,
  tracedBy,
} from './queue-contract.ts'
import type { QueueCounts } from './queue-counts.ts'
import {
  connectProducer,
  onConnectionError,
  type RedisClient,
  type RedisSource,
  workerToDuplicate,
} from './redis-client.ts'
import { redisFindings } from './redis-findings.ts'
import { adviceOn } from './redis-refusal.ts'
import { readRedisState } from './redis-state.ts'
import { resultOf } from './result-of.ts'
import { ROLLUP_JOB_OPTIONS, ROLLUP_JOBS, ROLLUP_QUEUE, type RollupJob, SHARD_QUEUES } from './rollup-queue.ts'
import { SharedTurns } from './shared-turns.ts'
import { within } from './within.ts'

export interface Queues {
  intake: Intake
  rollups: Rollups
  /** Resolves if Redis accepts writes. @throws CoolerError `queue-unavailable` */
  requireWritable(): Promise<void>
  /**
   * Counts a request of a caller, who may make `perMinute` requests to all processes on this Redis. Returns 0, or the
   * whole seconds to wait. Returns 0 if Redis does not answer soon: each process also has a limit of its own.
   */
  takeTurn(caller: string, perMinute: number): Promise<number>
  /** Returns the job counts of the telemetry queue. */
  counts(): Promise<QueueCounts>
  /** Returns the web page about the queues; opens it on the first call. */
  board(): Promise<QueueBoard>
  close(): Promise<void>
}

export interface QueuesOptions {
  redis: RedisSource
  /** Checks batches before they are enqueued. */
  ingest: Threads<IngestTasks>
  /** Most jobs that may wait in the telemetry queue. */
  backlogLimit: number
  /** Returns the time of the store, epoch ms. */
  now: () => number
  traces?: QueueTraces | undefined
  /** Called with findings about the setup of Redis, each time a connection is made. */
  onFindings: (findings: Finding[]) => void
  onError: (error: Error) => void
  /** Called each time a connection to Redis is made. */
  onReady?: () => void
}

/** Longest time that a request waits for Redis, whether Redis is away, frozen or coming back. */
const REDIS_PATIENCE_MS = 4000

/** The queues that the web page shows. */
const QUEUE_NAMES = [TELEMETRY_QUEUE, ROLLUP_QUEUE, ...Object.values(SHARD_QUEUES)]

/** How long the key that tests writes stays in Redis. */
const PROBE_MS = 60_000

function openConnection({ redis, onFindings, onError, onReady = () => {} }: QueuesOptions): RedisClient {
  const connection = connectProducer(redis)
  onConnectionError(connection, onError)
  connection.on('ready', onReady)
  connection.on('ready', () => void readRedisState(connection).then(redisFindings).then(onFindings, onError))
  return connection
}

/** Opens the queues for an intake. While Redis is away or the queue is full, calls fail soon with a retryable error. */
export function openQueues(options: QueuesOptions): Queues {
  const { redis, ingest, backlogLimit, now, traces, onError } = options
  const connection = openConnection(options)
  const place = queuesOn(connection)
  const queueOptions = { ...PRODUCER_QUEUE_OPTIONS, ...tracedBy(traces), ...place }
  const telemetry = new Queue<BatchJob>(TELEMETRY_QUEUE, queueOptions)
  const backlog = openBacklog(telemetry, connection, backlogLimit)
  const rollup = new Queue<RollupJob, RollupResult>(ROLLUP_QUEUE, {
    ...queueOptions,
    defaultJobOptions: ROLLUP_JOB_OPTIONS,
  })
  const events = new QueueEvents(ROLLUP_QUEUE, queuesOn(workerToDuplicate(redis)))
  telemetry.on('error', onError)
  rollup.on('error', onError)
  events.on('error', onError)
  const opened = firstConnection(connection)
  const reachable = <Result>(call: () => Promise<Result>, until = soon()): Promise<Result> =>
    within(Math.max(0, until - performance.now()), opened.then(call)).catch(refuse)
  const turns = new SharedTurns(connection, `${place.prefix}:cooler:turns`)
  const board = lazyBoard(redis, onError)
  const requestRollup = (days: { from: number; to: number }): Promise<Job<RollupJob, RollupResult>> =>
    reachable(() => rollup.add(ROLLUP_JOBS.rollup, { days }))
  return {
    intake: {
      async accept(batch) {
        const receivedAt = now()
        const until = soon()
        await reachable(() => backlog.enter(), until) // First, to waste no time on a check without room.
        const { job, events, result } = await ingest.run('check', { ...batch, receivedAt })
        if (events > 0) await reachable(() => telemetry.add(BATCH_JOB, { ...job, receivedAt }), until)
        return result
      },
    },
    rollups: {
      async run(days) {
        return resultOf(await requestRollup(days), rollup, events)
      },
      async request(days) {
        await requestRollup(days)
      },
    },
    takeTurn: (caller, perMinute) => turns.take(caller, perMinute),
    async requireWritable() {
      await reachable(() => connection.set(telemetry.toKey('writable'), '1', 'PX', PROBE_MS))
    },
    async counts() {
      const states = ['waiting', 'active', 'delayed', 'prioritized', 'failed'] as const
      const counts = await reachable(() => telemetry.getJobCounts(...states))
      const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts
      return { waiting: waiting + prioritized, active, delayed, failed }
    },
    board: board.open,
    async close() {
      await board.close()
      const parts = [events.close(), rollup.close(), telemetry.close()]
      await closedOrStuck(Promise.all(parts), connection)
      connection.disconnect()
    },
  }
}

/** Opens the page about the queues on first use, because few ever look at it and it takes some time to load. */
function lazyBoard(redis: RedisSource, onError: (error: Error) => void) {
  let board: Promise<QueueBoard> | null = null
  return {
    open(): Promise<QueueBoard> {
      board ??= import('./queue-board.ts')
        .then(({ openQueueBoard }) => openQueueBoard({ redis, names: QUEUE_NAMES, onError }))
        .catch((error) => {
          board = null // The next call tries again, and the failure does not keep the service from closing.
          throw error
        })
      return board
    },
    async close(): Promise<void> {
      await board?.then((opened) => opened.close()).catch(onError)
    },
  }
}

const soon = (): number => performance.now() + REDIS_PATIENCE_MS

function refuse(error: unknown): never {
  if (error instanceof ProducerError && error.code === 'queue-full')
    throw new CoolerError('queue-full', error.message, { cause: error })
  // An error answer of Redis begins with its code, such as OOM, READONLY or MISCONF.
  const code = (error as Error).name === 'ReplyError' ? /^[A-Z]+/.exec((error as Error).message)?.[0] : undefined
  if (code !== undefined)
    throw new CoolerError('queue-unavailable', `Redis refuses (${code}): ${adviceOn(error as Error) ?? 'try again'}`, {
      cause: error,
    })
  throw new CoolerError('queue-unavailable', 'the queue cannot be reached or refuses: try again', { cause: error })
}
