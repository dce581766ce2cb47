import { UnrecoverableError } from 'bullmq'
import type { RollupJob } from '../src/queue/rollup-queue.ts'

/** Returns the days that a job names, if any. @throws UnrecoverableError */
export function daysOf(data: unknown): RollupJob {
  const days = (data as { days?: { from?: unknown; to?: unknown } } | null)?.days
  if (days === undefined) return {}
  const { from, to } = days ?? {}
  if (!isDay(from) || !isDay(to) || to < from) {
    throw new UnrecoverableError('the days of a rollup are {"from", "to"}, two epoch days, the first one not later')
  }
  return { days: { from, to } }
}

const isDay = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < 1e8
