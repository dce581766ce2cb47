import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import type { BatchJob, BatchResult } from '../src/event/batch-job.ts'
import { closedOrStuck } from '../src/queue/closed-or-stuck.ts'
import { firstConnection } from '../src/queue/first-connection.ts'
import { failMalformedJobs, isUnreadable } from '../src/queue/malformed-jobs.ts'
import {
  BATCH_JOB_OPTIONS,
  type QueuePlace,
  type QueueTraces,
  queuesOn,
  TELEMETRY_QUEUE,
  tracedBy,
} from '../src/queue/queue-contract.ts'
import { connectWorker, onConnectionError, type RedisClient, type RedisSource } from '../src/queue/redis-client.ts'
import { ROLLUP_JOBS, ROLLUP_QUEUE, SHARD_QUEUES } from '../src/queue/rollup-queue.ts'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'
import type { ShardedWork } from '../src/store/sharded-work.ts'
import type { CompactionRequest, CompactionResult } from '../src/upkeep/compaction.ts'
import { closeDay } from './close-day.ts'
import { compact } from './compact.ts'
import { ingest, type Land } from './ingest.ts'
import { notify } from './notify.ts'
import { Patience } from './patience.ts'
import { pruneRaw } from './prune-raw.ts'
import { rollup } from './rollup.ts'
import { ensureSchedules, type ScheduleOptions } from './schedule.ts'
import { addLostShards, ofShard, type ShardedJob, sharded, shardedJob } from './sharded.ts'

/** Batches processed at once, which share a commit. More is not faster. */
const INGEST_CONCURRENCY = 32

/**
 * Landing and rolling up run on separate threads, so that locks are renewed in time. A lock runs out only if the whole
 * process hangs or dies. Any worker then takes up the job again, up to `maxStalledCount` times.
 */
const LOCKS = { lockDuration: 60_000, stalledInterval: 15_000, maxStalledCount: 10 }

/**
 * Locks of rollups and their shards are short, so that another worker soon takes up what a dead one had. Should a lock
 * run out while its worker lives, both do the job one after the other, and the second one finds little to do.
 */
const SHORT_LOCKS = { lockDuration: 3000, stalledInterval: 1000, maxStalledCount: 100 }

/** More than 1, so that deleting raw events does not delay rollups. Shards are worked on in queues of their own. */
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

/** Longest interval between two checks of the schedules, and for jobs of shards that are lost. */
const LOOK_AFTER_MS = 60_000

export interface WorkersOptions extends ScheduleOptions {
  redis: RedisSource
  traces?: QueueTraces | undefined
  land: Land
  rollUp: ShardedWork<RollupRequest, RollupResult>
  compact: ShardedWork<CompactionRequest, CompactionResult>
  pruneRaw: (now: number) => Promise<unknown>
  notify: () => Promise<unknown>
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
 * Starts the workers of all queues, and the schedules of recurring jobs. If Redis is away, they begin as soon as it is
 * there.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { redis, onError, onReady = () => {} } = options
  const connection = connectWorker(redis)
  const place = queuesOn(connection)
  onConnectionError(connection, onError)
  connection.on('ready', onReady)
  const patience = new Patience()
  let inHand = 0
  const counted: Counted = (work) => (job, token) => {
    inHand++
    return work(job, token).finally(() => inHand--)
  }
  const batches = new Worker<BatchJob, BatchResult>(TELEMETRY_QUEUE, counted(ingest(options.land, patience, onError)), {
    ...place,
    concurrency: INGEST_CONCURRENCY,
    ...tracedBy(options.traces && notHandedOn(options.traces)),
    ...KEPT_BATCHES,
    ...LOCKS,
  })
  const telemetry = new Queue(TELEMETRY_QUEUE, { ...place, skipMetasUpdate: true })
  telemetry.on('error', onError)
  const { watched, lookAfter } = rollupWorkers(options, place, counted)
  watched.push([batches as Worker, telemetry])
  for (const [worker, queue] of watched) watchJobs(worker, queue, connection, options)
  await firstConnection(connection)
  const scheduled = lookAfter().catch(onError)
  if (connection.status === 'ready') await scheduled
  const interval = Math.min(options.refreshMs * 4, LOOK_AFTER_MS)
  const lookingAfter = setInterval(() => void lookAfter().catch(onError), interval)
  return {
    async close() {
      clearInterval(lookingAfter)
      const closing = Promise.all(watched.map(([worker]) => worker.close()))
      patience.end() // After close: otherwise a job given back would be taken again.
      await closedOrStuck(closing, connection, () => inHand)
      await closedOrStuck(Promise.all(watched.map(([, queue]) => queue.close())), connection)
      connection.disconnect()
    },
  }
}

/** A worker, and the queue that it takes jobs from. */
type Watched = [Worker, Queue]

/** Returns a processor whose jobs in progress are counted. */
type Counted = <J, Result>(
  work: (job: J, token?: string) => Promise<Result>,
) => (job: J, token?: string) => Promise<Result>

/** Starts the workers of rollups and of upkeep, in whole and by shard. `lookAfter` mends what Redis may lose of them. */
function rollupWorkers(
  options: WorkersOptions,
  place: QueuePlace,
  counted: Counted,
): { watched: Watched[]; lookAfter: () => Promise<void> } {
  const traced = tracedBy(options.traces && notHandedOn(options.traces))
  const opened = (name: string, traces = traced): Queue => {
    const queue = new Queue(name, { ...place, ...traces })
    queue.on('error', options.onError)
    return queue
  }
  const worker = (queue: Queue, concurrency: number, processors: Record<string, Processor>): Watched => [
    new Worker(queue.name, counted(byJobName(processors)), {
      ...place,
      concurrency,
      ...traced,
      ...FORGET_NAMED_JOBS,
      ...SHORT_LOCKS,
    }),
    queue,
  ]
  const parents = opened(ROLLUP_QUEUE)
  const ofShards = (kind: keyof typeof SHARD_QUEUES) => opened(SHARD_QUEUES[kind], tracedBy(options.traces))
  const queues = { rollUp: ofShards('rollUp'), compact: ofShards('compact') }
  const jobs = shardedJobs(options, queues)
  const processorsOf = (of: (job: ShardedJob) => Processor, queue?: Queue): Record<string, Processor> =>
    Object.fromEntries(
      Object.entries(jobs)
        .filter(([, job]) => queue === undefined || job.queue === queue)
        .map(([name, job]) => [name, of(job)]),
    )
  const undivided = {
    [ROLLUP_JOBS.pruneRaw]: pruneRaw(options.pruneRaw, options.now),
    [ROLLUP_JOBS.notify]: notify(options.notify),
  }
  const wholes = { ...processorsOf((job) => sharded(parents, job)), ...undivided }
  return {
    watched: [
      worker(parents, ROLLUP_CONCURRENCY, wholes),
      worker(queues.rollUp, options.rollUp.lanes, processorsOf(ofShard, queues.rollUp)),
      worker(queues.compact, options.compact.lanes, processorsOf(ofShard, queues.compact)),
    ],
    async lookAfter() {
      await ensureSchedules(parents, options)
      await addLostShards(parents, (name) => jobs[name]?.queue)
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

type ShardQueues = Record<keyof typeof SHARD_QUEUES, Queue>

/** Returns the jobs that are done shard by shard, by their names. */
function shardedJobs(options: WorkersOptions, queues: ShardQueues): Record<string, ShardedJob> {
  const { rollUp, compact: compaction, now } = options
  return {
    [ROLLUP_JOBS.rollup]: shardedJob(rollUp, queues.rollUp, rollup(now)),
    [ROLLUP_JOBS.closeDay]: shardedJob(rollUp, queues.rollUp, closeDay(now)),
    [ROLLUP_JOBS.compact]: shardedJob(compaction, queues.compact, compact(now)),
  }
}

type Processor = (job: Job, token?: string) => Promise<unknown>

/** Returns a processor that runs each job by its name. */
function byJobName(processors: Record<string, Processor>): Processor {
  return async (job, token) => {
    const processor = Object.hasOwn(processors, job.name) ? processors[job.name] : undefined
    if (processor === undefined) throw new UnrecoverableError(`no job of this queue is named ${job.name}`)
    return processor(job, token)
  }
}
