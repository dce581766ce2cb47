import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { BatchJob, BatchResult } from '../src/event/batch-job.ts'
import { closedOrStuck } from '../src/queue/closed-or-stuck.ts'
import { firstConnection } from '../src/queue/first-connection.ts'
import { failMalformedJobs, isUnreadable } from '../src/queue/malformed-jobs.ts'
import {
  BATCH_JOB_OPTIONS,
  type QueueTraces,
  type RedisSource,
  TELEMETRY_QUEUE,
  tracedBy,
  workerConnection,
} from '../src/queue/queue-contract.ts'
import { ROLLUP_JOBS, ROLLUP_QUEUE } from '../src/queue/rollup-queue.ts'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'
import { closeDay } from './close-day.ts'
import { compact } from './compact.ts'
import { ingest, type Land } from './ingest.ts'
import { Patience } from './patience.ts'
import { pruneRaw } from './prune-raw.ts'
import { rollup } from './rollup.ts'
import { ensureSchedules, type ScheduleOptions } from './schedule.ts'

/** Batches in hand at once: those that share a commit. More of them is no faster. */
const INGEST_CONCURRENCY = 32

/**
 * Landing and rolling up run on threads of their own, so that locks are renewed in time; a lock only runs out where
 * the whole process stands still or dies. Then the job is taken up again: by whoever, as often as it needs.
 */
const LOCKS = { lockDuration: 60_000, stalledInterval: 15_000, maxStalledCount: 10 }

/** Rollups of one process run one after the other; a long compaction does not hold them up. */
const ROLLUP_CONCURRENCY = 4

/**
 * A rollup that someone asks for under a name of his own (a BullMQ job id) runs again when he asks again: a job of that
 * id that is still kept, done or failed, would make Redis ignore the second. Our own jobs have options of their own.
 */
const FORGET_NAMED_JOBS = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } }

/**
 * For batches of producers that set no bounds themselves: what is kept for ever would fill Redis. Those that are done
 * stay for a while, so that their result can be asked for.
 */
const KEPT_BATCHES = {
  removeOnComplete: { age: 3600, count: 100 },
  removeOnFail: BATCH_JOB_OPTIONS.removeOnFail,
}

/** How often the schedules are looked after, at the least. */
const LOOK_AFTER_MS = 60_000

export interface WorkersOptions extends ScheduleOptions {
  redis: RedisSource
  traces?: QueueTraces | undefined
  land: Land
  rollUp: (request: RollupRequest) => Promise<RollupResult>
  compact: (now: number) => Promise<unknown>
  pruneRaw: (now: number) => Promise<unknown>
  onError: (error: Error) => void
  /** Hears of each time that Redis has been reached. */
  onReady?: () => void
  onFailed: (job: { queue: string; id: string; attempts: number }, error: Error) => void
}

export interface Workers {
  /** Takes no further job and resolves when those in hand are done. */
  close(): Promise<void>
}

/**
 * Starts the workers of both queues, and the schedules of what is done by itself. Where Redis is away they wait for it:
 * all begins as soon as it is there.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { redis, onError, onReady = () => {} } = options
  const connection = new Redis(workerConnection(redis))
  connection.on('error', onError)
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
    connection,
    concurrency: INGEST_CONCURRENCY,
    ...traced,
    ...KEPT_BATCHES,
    ...LOCKS,
  })
  const rollups = new Worker(ROLLUP_QUEUE, counted(processorOf(options)), {
    connection,
    concurrency: ROLLUP_CONCURRENCY,
    ...traced,
    ...FORGET_NAMED_JOBS,
    ...LOCKS,
  })
  const schedule = new Queue(ROLLUP_QUEUE, { connection, ...traced })
  schedule.on('error', onError)
  const telemetry = new Queue(TELEMETRY_QUEUE, { connection, skipMetasUpdate: true })
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
      patience.end() // Not before: a job that is given back would be taken up again.
      await closedOrStuck(closing, connection, () => inHand)
      await closedOrStuck(Promise.all([schedule.close(), telemetry.close()]), connection)
      connection.disconnect()
    },
  }
}

/** Reports what fails, and fails what BullMQ cannot read: by its error alone, which names no job, it would stall. */
function watchJobs(worker: Worker, queue: Queue, connection: Redis, { onError, onFailed }: WorkersOptions): void {
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
 * Of workers, who add nothing but the ticks of schedules. BullMQ copies the options of each tick to the next one: with
 * its trace in them, one trace would go on for as long as the schedule does.
 */
const notHandedOn = ({ tracer, contextManager }: QueueTraces): QueueTraces => ({
  tracer,
  contextManager: { ...contextManager, getMetadata: () => '' },
})

/** Does what the name of a job of the rollup queue says. */
function processorOf(options: WorkersOptions): (job: Job) => Promise<unknown> {
  const processors: Record<string, (job: Job) => Promise<unknown>> = {
    [ROLLUP_JOBS.rollup]: rollup(options.rollUp),
    [ROLLUP_JOBS.closeDay]: closeDay(options.rollUp),
    [ROLLUP_JOBS.compact]: compact(options.compact),
    [ROLLUP_JOBS.pruneRaw]: pruneRaw(options.pruneRaw),
  }
  return async (job) => {
    const processor = Object.hasOwn(processors, job.name) ? processors[job.name] : undefined
    if (processor === undefined) throw new UnrecoverableError(`no job of this queue is named ${job.name}`)
    return processor(job)
  }
}
