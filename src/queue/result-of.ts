import { setTimeout as pause } from 'node:timers/promises'
import { Job, type Queue, type QueueEvents } from 'bullmq'
import { CoolerError } from '../base/errors.ts'

/** Interval at which a job is looked up: a Redis that fails over may lose the event of its end, or the job. */
const LOOK_EVERY_MS = 5000

/**
 * Waits for the end of a job of a queue, however long it takes, and returns its result.
 *
 * @throws CoolerError `queue-unavailable` if Redis has lost the job
 * @throws Error with the reason if the job failed
 */
export async function resultOf<Data, Result>(
  job: Job<Data, Result>,
  queue: Queue<Data, Result>,
  events: QueueEvents,
): Promise<Result> {
  const told = job.waitUntilFinished(events).then((result) => ({ result }))
  const looking = new AbortController()
  try {
    return (await Promise.race([told, lookUp(job.id ?? '', queue, looking.signal)])).result
  } finally {
    looking.abort()
  }
}

async function lookUp<Data, Result>(
  id: string,
  queue: Queue<Data, Result>,
  signal: AbortSignal,
): Promise<{ result: Result }> {
  for (;;) {
    await pause(LOOK_EVERY_MS, undefined, { signal })
    const job = await Job.fromId<Data, Result>(queue, id).catch(() => null) // Redis is away for a while.
    if (job === undefined) throw new CoolerError('queue-unavailable', 'Redis has lost the job: ask again')
    if (job?.finishedOn === undefined) continue
    if (job.failedReason) throw new Error(job.failedReason)
    return { result: job.returnvalue }
  }
}
