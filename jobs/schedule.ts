import type { JobSchedulerJson, Queue } from 'bullmq'
import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from '../src/base/time.ts'
import { ROLLUP_JOB_OPTIONS, ROLLUP_JOBS } from '../src/queue/rollup-queue.ts'
import { closingMinutes } from '../src/rollup/closing-times.ts'

export interface ScheduleOptions {
  /** Interval in ms at which due days, and today so far, are rolled up. */
  refreshMs: number
  /** Local time of each zone at which a day closes, in minutes after midnight. */
  rollupAtMinute: number
}

/** Interval at which the workers make and send the messages of subscriptions. */
export const NOTIFY_MS = 15_000

interface Schedule {
  job: string
  repeat: { every: number } | { pattern: string; tz: 'UTC' }
  periodMs: number
}

/**
 * Returns the schedules of all jobs, in UTC: a local-time schedule would skip the night on which the clock skips that
 * time. The store knows what is to be done, so the next tick makes up for a missed one, and an extra tick is harmless.
 */
function schedules({ refreshMs, rollupAtMinute }: ScheduleOptions): Schedule[] {
  const cron = (pattern: string) => ({ pattern, tz: 'UTC' }) as const
  const minutes = closingMinutes(rollupAtMinute)
  return [
    { job: ROLLUP_JOBS.rollup, repeat: { every: refreshMs }, periodMs: refreshMs },
    {
      job: ROLLUP_JOBS.closeDay,
      repeat: cron(`0 ${minutes.join(',')} * * * *`),
      periodMs: millisecondsInHour / minutes.length,
    },
    { job: ROLLUP_JOBS.compact, repeat: cron('30 2 * * * *'), periodMs: millisecondsInHour },
    { job: ROLLUP_JOBS.notify, repeat: { every: NOTIFY_MS }, periodMs: NOTIFY_MS },
    { job: ROLLUP_JOBS.pruneRaw, repeat: cron('45 11 1 * * *'), periodMs: millisecondsInDay },
  ]
}

/**
 * Makes sure that every job scheduler exists and that its next tick is near. A scheduler is missing after Redis has
 * lost its data; a tick is too far if the clock was ahead and was set back. All workers share one set of schedules.
 */
export async function ensureSchedules(queue: Queue, options: ScheduleOptions, now = Date.now()): Promise<void> {
  for (const schedule of schedules(options)) {
    const { job, repeat } = schedule
    const present = await queue.getJobScheduler(job)
    if (isSound(present, schedule, now)) continue
    if (present !== undefined) await queue.removeJobScheduler(job)
    await queue.upsertJobScheduler(job, repeat, { name: job, data: {}, opts: ROLLUP_JOB_OPTIONS })
  }
}

/** Tolerances of the next tick. It may be late because a long job has to end first, so lateness is tolerated longer. */
const LATE_MS = 10 * millisecondsInMinute
const EARLY_MS = millisecondsInMinute

function isSound(present: JobSchedulerJson | undefined, { repeat, periodMs }: Schedule, now: number): boolean {
  if (present?.next === undefined) return false
  const same = 'every' in repeat ? present.every === repeat.every : present.pattern === repeat.pattern
  return same && present.next <= now + periodMs + EARLY_MS && present.next >= now - 2 * periodMs - LATE_MS
}
