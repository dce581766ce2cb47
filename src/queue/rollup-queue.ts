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
} as const

const secondsInHour = 3600

/** A few attempts are enough: a failed rollup leaves everything due, so the next one makes up for it. */
export const ROLLUP_JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: { age: secondsInHour, count: 1000 },
  removeOnFail: { age: 14 * 24 * secondsInHour, count: 1000 },
  stackTraceLimit: 3,
} as const satisfies JobsOptions
