import type { Job } from 'bullmq'
import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'

/** Local days (epoch days, both ends counted) to compute whether due or not; without them only what is due. */
export interface RollupJob {
  days?: { from: number; to: number }
}

/** Rolls up what is due, today so far included. What is due is known from the store: a lost or doubled job does no harm. */
export const rollup =
  (run: (request: RollupRequest) => Promise<RollupResult>) =>
  (job: Job<RollupJob>): Promise<RollupResult> =>
    run({ now: Date.now(), refresh: true, ...(job.data?.days === undefined ? {} : { days: job.data.days }) })
