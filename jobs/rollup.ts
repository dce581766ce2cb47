import type { Job } from 'bullmq'
import type { RollupJob } from '../src/queue/rollup-queue.ts'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'

/** Rolls up due days, and today so far. The store knows which days are due, so a lost or doubled job does no harm. */
export const rollup =
  (run: (request: RollupRequest) => Promise<RollupResult>, now: () => number) =>
  (job: Job<RollupJob>): Promise<RollupResult> =>
    run({ now: now(), refresh: true, ...(job.data?.days === undefined ? {} : { days: job.data.days }) })
