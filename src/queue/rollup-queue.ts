import type { JobsOptions } from 'bullmq'

/** Local days (epoch days, both ends included) to compute whether due or not; without `days`, only due days. */
export interface RollupJob {
  days?: { from: number; to: number }
}

export const ROLLUP_QUEUE = 'rollup'

/** Names of the jobs of the rollup queue; a job's file and schedule have the same name. */
export const ROLLUP_JOBS = {
  rollup: 'rollup',
  closeDay: 'close-day',
  compact: 'compact',
  pruneRaw: 'prune-raw',
  notify: 'notify',
} as const

/** Queues with a job for each shard of a rollup or a compaction. A job's id is that of its parent and the shard. */
export const SHARD_QUEUES = { rollUp: 'rollup-shards', compact: 'compact-shards' } as const

const secondsInHour = 3600

/** A few attempts are enough: a failed rollup leaves everything due, so the next one makes up for it. */
const ATTEMPTS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  stackTraceLimit: 3,
} as const satisfies JobsOptions

export const ROLLUP_JOB_OPTIONS = {
  ...ATTEMPTS,
  removeOnComplete: { age: secondsInHour, count: 1000 },
  removeOnFail: { age: 14 * 24 * secondsInHour, count: 1000 },
} as const satisfies JobsOptions

/** The parent keeps results and failures, and decides when all of its shards have ended. */
export const SHARD_JOB_OPTIONS = {
  ...ATTEMPTS,
  removeOnComplete: true,
  removeOnFail: true,
  ignoreDependencyOnFailure: true,
} as const satisfies JobsOptions
