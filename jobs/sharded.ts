import { DelayedError, type Job, type Queue, UnrecoverableError, WaitingChildrenError } from 'bullmq'
import { SHARD_JOB_OPTIONS } from '../src/queue/rollup-queue.ts'
import { LOOK_AGAIN_MS, type ShardedWork } from '../src/store/sharded-work.ts'

/** A kind of job that is done in jobs of its shards, which all workers share. Both have the same data. */
export interface ShardedJob {
  /** The queue of the jobs of its shards. */
  queue: Queue
  /** How many shards the store has. */
  shards: number
  begin(data: unknown): Promise<Run>
  runShard(data: unknown, shard: number): Promise<{ result: unknown } | null>
  /** @param now when the run began, epoch ms */
  finish(data: unknown, now: number, results: readonly unknown[]): Promise<unknown>
}

/**
 * Returns the job of a work. Each shard is done as of the time of its own job, which may have waited for long.
 *
 * @param requestOf reads the data of a job, which is hostile until checked, into a request as of now; throws
 * UnrecoverableError
 */
export const shardedJob = <Request extends { now: number }, Result>(
  work: ShardedWork<Request, Result>,
  queue: Queue,
  requestOf: (data: unknown) => Request,
): ShardedJob => ({
  queue,
  shards: work.shards,
  async begin(data) {
    const request = requestOf(data)
    return { now: request.now, shards: await work.begin(request) }
  },
  runShard: (data, shard) => work.runShard(requestOf(data), shard),
  finish(data, now, results) {
    const request = requestOf(data)
    return work.finish({ ...request, now: Math.min(now, request.now) }, results as Result[])
  },
})

/** What a job records when it has added the jobs of its shards: when it began (epoch ms), and the shards. */
interface Run {
  now: number
  shards: number[]
}

/**
 * Returns the processor of such a job. It runs twice: first it adds the jobs of the shards and leaves; when the last of
 * them has ended, it adds up their results. A tick of a schedule that comes while an earlier one is not done does
 * nothing, and returns null.
 */
export const sharded =
  (parents: Queue, { queue, begin, finish }: ShardedJob) =>
  async (job: Job, token?: string): Promise<unknown> => {
    let run = runOf(job)
    if (run === null) {
      if (await isOverlapping(parents, job)) return null
      run = await begin(job.data)
      await addShards(queue, job, run.shards)
      await job.updateData({ ...job.data, run })
    }
    if (await job.moveToWaitingChildren(token as string)) throw new WaitingChildrenError()
    const [done, failed] = [await job.getChildrenValues(), await job.getIgnoredChildrenFailures()]
    const failures = Object.entries(failed).filter(([key]) => !Object.hasOwn(done, key))
    if (failures.length === 0) return finish(job.data, run.now, Object.values(done))
    await job.updateData({ ...job.data, run: undefined }) // Should someone retry the job, it begins anew.
    const [[key, reason]] = failures
    const shard = key.slice(key.lastIndexOf('-') + 1)
    throw new UnrecoverableError(`${failures.length} of ${run.shards.length} shards failed; shard ${shard}: ${reason}`)
  }

/** Returns the processor of the job of a shard. A shard that another worker holds is tried again soon. */
export const ofShard =
  ({ shards, runShard }: ShardedJob) =>
  async (job: Job, token?: string): Promise<unknown> => {
    const shard: unknown = job.data?.shard
    if (!isShard(shard) || shard >= shards) {
      throw new UnrecoverableError(`the job names no shard of the store, which has ${shards}`)
    }
    const done = await runShard(job.data, shard)
    if (done !== null) return done.result
    await job.moveToDelayed(Date.now() + LOOK_AGAIN_MS, token)
    throw new DelayedError()
  }

/**
 * Adds the jobs of shards that are missing, without which their parents would wait for ever. A Redis that fails over
 * may lose some.
 */
export async function addLostShards(parents: Queue, queueOf: (name: string) => Queue | undefined): Promise<void> {
  for (const parent of await parents.getWaitingChildren()) {
    const [queue, run] = [queueOf(parent.name), runOf(parent)]
    if (queue === undefined || run === null) continue
    const { unprocessed = [] } = await parent.getDependencies({ unprocessed: { count: run.shards.length } })
    const waitedFor = new Set(unprocessed.map((key) => key.slice(key.lastIndexOf(':') + 1)))
    const shards = run.shards.filter((shard) => waitedFor.has(shardJobId(parent, shard)))
    const lost: number[] = []
    for (const shard of shards) {
      if ((await queue.getJobState(shardJobId(parent, shard))) === 'unknown') lost.push(shard)
    }
    await addShards(queue, parent, lost)
  }
}

/** Tells whether a job is a tick of a schedule whose earlier tick waits for shards. */
async function isOverlapping(parents: Queue, { id, name, repeatJobKey }: Job): Promise<boolean> {
  if (repeatJobKey === undefined) return false
  const waiting = await parents.getWaitingChildren()
  return waiting.some((other) => other.id !== id && other.name === name && other.repeatJobKey !== undefined)
}

/** Adds the jobs of shards, with the data of their parent. Those that are there stay as they are. */
async function addShards(queue: Queue, parent: Job, shards: readonly number[]): Promise<void> {
  if (shards.length === 0) return
  const { id = '', name, data, queueQualifiedName } = parent
  await queue.addBulk(
    shards.map((shard) => ({
      name,
      data: { ...data, run: undefined, shard },
      opts: { ...SHARD_JOB_OPTIONS, jobId: shardJobId(parent, shard), parent: { id, queue: queueQualifiedName } },
    })),
  )
}

/** BullMQ allows no colon in an id that it did not make itself. */
const shardJobId = ({ id = '' }: Job, shard: number): string => `${id.replaceAll(':', '.')}-${shard}`

function runOf({ data }: Job): Run | null {
  const run: Partial<Run> | undefined = data?.run
  const isSound = Number.isFinite(run?.now) && Array.isArray(run?.shards) && run.shards.every(isShard)
  return isSound ? (run as Run) : null
}

const isShard = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
