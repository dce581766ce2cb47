import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import {
  type BatchJob,
  type BatchResult,
  type RedisSource,
  TELEMETRY_QUEUE,
  workerConnection,
} from '../src/enqueue/queue-contract.ts'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'
import { closedOrAway } from './close.ts'
import { ingest, type Land } from './ingest.ts'
import { ROLLUP_JOB, ROLLUP_JOB_OPTIONS, ROLLUP_QUEUE } from './queues.ts'
import { type RollupJob, rollup } from './rollup.ts'

/** Batches in hand at once: those that share a commit. More of them is no faster. */
const INGEST_CONCURRENCY = 32

/**
 * Landing and rolling up run on threads of their own, so that locks are renewed in time; a lock only runs out where
 * the whole process stands still or dies. Then the job is taken up again: by whoever, as often as it needs.
 */
const LOCKS = { lockDuration: 60_000, stalledInterval: 15_000, maxStalledCount: 10 }

/** Name of the job scheduler: one for all workers, however many there are. */
const REFRESH = 'refresh'

export interface WorkersOptions {
  redis: RedisSource
  land: Land
  rollUp: (request: RollupRequest) => Promise<RollupResult>
  /** Every so many ms whatever is due is rolled up, and today so far. */
  refreshMs: number
  onError: (error: Error) => void
  onFailed: (job: { queue: string; id: string; attempts: number }, error: Error) => void
}

export interface Workers {
  /** Takes no further job and resolves when those in hand are done. */
  close(): Promise<void>
}

/** Starts the workers of both queues, and the schedule of rollups. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { redis, onError } = options
  const connection = new Redis(workerConnection(redis))
  connection.on('error', onError)
  const batches = new Worker<BatchJob, BatchResult>(TELEMETRY_QUEUE, ingest(options.land), {
    connection,
    concurrency: INGEST_CONCURRENCY,
    ...LOCKS,
  })
  const rollups = new Worker<RollupJob, RollupResult>(ROLLUP_QUEUE, rollup(options.rollUp), { connection, ...LOCKS })
  const schedule = new Queue(ROLLUP_QUEUE, { connection })
  schedule.on('error', onError)
  for (const worker of [batches, rollups] as Worker[]) {
    worker.on('error', onError)
    worker.on('failed', (job, error) => {
      options.onFailed({ queue: worker.name, id: job?.id ?? 'unknown', attempts: job?.attemptsMade ?? 0 }, error)
    })
  }
  await schedule.upsertJobScheduler(
    REFRESH,
    { every: options.refreshMs },
    { name: ROLLUP_JOB, data: {}, opts: ROLLUP_JOB_OPTIONS },
  )
  return {
    async close() {
      await closedOrAway(Promise.all([batches.close(), rollups.close()]), connection)
      await closedOrAway(schedule.close(), connection)
      connection.disconnect()
    },
  }
}
