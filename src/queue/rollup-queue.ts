import type { JobsOptions } from 'bullmq'

/** Local days (epoch days, both ends counted) to compute whether due or not; without them only what is due. */
export interface RollupJob {
  days?: { from: number; to: number }
}

export const ROLLUP_QUEUE = 'rollup'

/** Names of the jobs of that queue; each is the name of its file, and of its schedule. */
export const ROLLUP_JOBS = {
  rollup: 'rollup',
  closeDay: 'close-day',
  compact: 'compact',
  pruneRaw: 'prune-raw',
} as const

const secondsInHour = 3600

/** A rollup that fails leaves everything due: the next one makes it good, so a few tries are enough. */
export const ROLLUP_JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: { age: secondsInHour, count: 1000 },
  removeOnFail: { age: 14 * 24 * secondsInHour, count: 1000 },
  stackTraceLimit: 3,
} as const satisfies JobsOptions
