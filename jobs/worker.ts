import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import type { BatchJob, BatchResult } from '../src/event/batch-job.ts'
import { closedOrStuck } from '../src/queue/closed-or-stuck.ts'
import { firstConnection } from '../src/queue/first-connection.ts'
import { failMalformedJobs, isUnreadable } from '../src/queue/malformed-jobs.ts'
import {
  BATCH_JOB_OPTIONS,
  type QueueTraces,
  queuesOn,
  TELEMETRY_QUEUE,
  tracedBy,
} from '../src/queue/queue-contract.ts'
import { connectWorker, onConnectionError, type RedisClient, type RedisSource } from '../src/queue/redis-client.ts'
import { ROLLUP_JOBS, ROLLUP_QUEUE } from '../src/queue/rollup-queue.ts'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'
import { closeDay } from './close-day.ts'
import { compact } from './compact.ts'
import { ingest, type Land } from './ingest.ts'
import { Patience } from './patience.ts'
import { pruneRaw } from './prune-raw.ts'
import { rollup } from './rollup.ts'
import { ensureSchedules, type ScheduleOptions } from './schedule.ts'

/** Batches processed at once, which share a commit. More is not faster. */
const INGEST_CONCURRENCY = 32

/**
 * Landing and rolling up run on separate threads, so that locks are renewed in time. A lock runs out only if the whole
 * process hangs or dies. Any worker then takes up the job again, up to `maxStalledCount` times.
 */
const LOCKS = { lockDuration: 60_000, stalledInterval: 15_000, maxStalledCount: 10 }

/** More than 1, so that a long compaction does not delay rollups; rollups of one process run one after the other. */
const ROLLUP_CONCURRENCY = 4

/**
 * Forgets finished jobs at once, so that a rollup requested under a custom job id can be requested again: a kept job of
 * the same id, done or failed, would make Redis ignore the new one. Our own jobs set their own options.
 */
const FORGET_NAMED_JOBS = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } }

/**
 * Bounds for batches of producers that set no bounds: jobs kept for ever would fill Redis. Finished batches stay for a
 * while, so that their result can be read.
 */
const KEPT_BATCHES = {
  removeOnComplete: { age: 3600, count: 100 },
  removeOnFail: BATCH_JOB_OPTIONS.removeOnFail,
}

/** Longest interval between two checks of the schedules. */
const LOOK_AFTER_MS = 60_000

export interface WorkersOptions extends ScheduleOptions {
  redis: RedisSource
  traces?: QueueTraces | undefined
  land: Land
  rollUp: (request: RollupRequest) => Promise<RollupResult>
  compact: (now: number) => Promise<unknown>
  pruneRaw: (now: number) => Promise<unknown>
  /** Returns the time of the store, epoch ms. */
  now: () => number
  onError: (error: Error) => void
  /** Called each time a connection to Redis is made. */
  onReady?: () => void
  onFailed: (job: { queue: string; id: string; attempts: number }, error: Error) => void
}

export interface Workers {
  /** Takes no further jobs, and resolves when the current ones are done. */
  close(): Promise<void>
}

/**
 * Starts the workers of both queues, and the schedules of recurring jobs. If Redis is away, they begin as soon as it is
 * there.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { redis, onError, onReady = () => {} } = options
  const connection = connectWorker(redis)
  const place = queuesOn(connection)
  onConnectionError(connection, onError)
  connection.on('ready', onReady)
  const traced = tracedBy(options.traces && notHandedOn(options.traces))
  const patience = new Patience()
  let inHand = 0
  const counted =
    <J, Result>(work: (job: J) => Promise<Result>) =>
    (job: J): Promise<Result> => {
      inHand++
      return work(job).finally(() => inHand--)
    }
  const batches = new Worker<BatchJob, BatchResult>(TELEMETRY_QUEUE, counted(ingest(options.land, patience, onError)), {
    ...place,
    concurrency: INGEST_CONCURRENCY,
    ...traced,
    ...KEPT_BATCHES,
    ...LOCKS,
  })
  const rollups = new Worker(ROLLUP_QUEUE, counted(processorOf(options)), {
    ...place,
    concurrency: ROLLUP_CONCURRENCY,
    ...traced,
    ...FORGET_NAMED_JOBS,
    ...LOCKS,
  })
  const schedule = new Queue(ROLLUP_QUEUE, { ...place, ...traced })
  schedule.on('error', onError)
  const telemetry = new Queue(TELEMETRY_QUEUE, { ...place, skipMetasUpdate: true })
  telemetry.on('error', onError)
  const watched: [Worker, Queue][] = [
    [batches as Worker, telemetry],
    [rollups, schedule],
  ]
  for (const [worker, queue] of watched) watchJobs(worker, queue, connection, options)
  await firstConnection(connection)
  const scheduled = ensureSchedules(schedule, options).catch(onError)
  if (connection.status === 'ready') await scheduled
  const lookAfter = setInterval(
    () => void ensureSchedules(schedule, options).catch(onError),
    Math.min(options.refreshMs * 4, LOOK_AFTER_MS),
  )
  return {
    async close() {
      clearInterval(lookAfter)
      const closing = Promise.all([batches.close(), rollups.close()])
      patience.end() // After close: otherwise a job given back would be taken again.
      await closedOrStuck(closing, connection, () => inHand)
      await closedOrStuck(Promise.all([schedule.close(), telemetry.close()]), connection)
      connection.disconnect()
    },
  }
}

/** Reports failed jobs, and fails unreadable jobs, which would stall: BullMQ only emits an error that names no job. */
function watchJobs(worker: Worker, queue: Queue, connection: RedisClient, { onError, onFailed }: WorkersOptions): void {
  worker.on('error', (error) => {
    if (!isUnreadable(error)) return onError(error)
    failMalformedJobs(queue, connection).then((ids) => {
      for (const id of ids) onFailed({ queue: worker.name, id, attempts: 1 }, error)
      if (ids.length === 0) onError(error)
    }, onError)
  })
  worker.on('failed', (job, error) => {
    onFailed({ queue: worker.name, id: job?.id ?? 'unknown', attempts: job?.attemptsMade ?? 0 }, error)
  })
}

/**
 * Returns traces for workers, which put no trace context into jobs. The only jobs that workers add are ticks of
 * schedules. BullMQ copies the options of each tick to the next, so one trace would last as long as the schedule.
 */
const notHandedOn = ({ tracer, contextManager }: QueueTraces): QueueTraces => ({
  tracer,
  contextManager: { ...contextManager, getMetadata: () => '' },
})

/** Returns the processor of the rollup queue, which runs each job by its name. */
function processorOf(options: WorkersOptions): (job: Job) => Promise<unknown> {
  const processors: Record<string, (job: Job) => Promise<unknown>> = {
    [ROLLUP_JOBS.rollup]: rollup(options.rollUp, options.now),
    [ROLLUP_JOBS.closeDay]: closeDay(options.rollUp, options.now),
    [ROLLUP_JOBS.compact]: compact(options.compact, options.now),
    [ROLLUP_JOBS.pruneRaw]: pruneRaw(options.pruneRaw, options.now),
  }
  return async (job) => {
    const processor = Object.hasOwn(processors, job.name) ? processors[job.name] : undefined
    if (processor === undefined) throw new UnrecoverableError(`no job of this queue is named ${job.name}`)
    return processor(job)
  }
}
