import type { Logger } from 'pino'
import { NOTIFY_MS } from '../../jobs/schedule.ts'
import { CoolerError } from '../base/errors.ts'
import { millisecondsInDay, millisecondsInHour } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import type { QueueTraces } from '../queue/queue-contract.ts'
import { untilNextClosing } from '../rollup/closing-times.ts'
import type { RollupRequest, RollupResult } from '../rollup/rollup-request.ts'
import { runShards } from '../store/sharded-work.ts'
import type { RedisLog } from './log-redis.ts'
import type { Stages } from './measured.ts'
import type { Pipeline } from './pipeline.ts'
import { startTimers } from './timers.ts'

/** Receivers of the log lines, traces and errors of a service. */
export interface Told {
  logger: Logger
  traces: QueueTraces | undefined
  /** Logs the loss and return of Redis, nothing else. */
  redis: RedisLog
  onError: (error: Error) => void
}

/** Rolls up in this process, as of the time at which it begins unless the request says otherwise. */
export type DirectRollup = (request: Partial<RollupRequest>, signal?: AbortSignal) => Promise<RollupResult>

/** Returns a function that rolls up in this process, one rollup after the other. */
export function oneAtATime({ rollUp }: Stages, now: () => number): DirectRollup {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const run = last.then(() => runShards(rollUp, { now: now(), ...request }, signal))
    last = run.catch(() => undefined)
    return run
  }
}

export interface Work {
  config: Config
  pipeline: Pipeline
  stages: Stages
  told: Told
}

/**
 * Starts landing, rollups, compaction and pruning: in workers of the queue, or on timers if `rollUp` is given. Returns a
 * function that stops them.
 */
export async function startWork(work: Work, rollUp: DirectRollup | null): Promise<() => Promise<void>> {
  const { runner, now } = work.pipeline
  await adoptRules(runner, now(), work.told.logger)
  return rollUp === null ? startQueueWorkers(work) : startChores(work, rollUp)
}

function startChores({ config, pipeline, stages, told }: Work, rollUp: DirectRollup): () => Promise<void> {
  const { now } = pipeline
  const stopping = new AbortController()
  const { signal } = stopping
  const { refreshMs } = config
  const untilClosing = () => untilNextClosing(now(), config.rollupAtMinute)
  // All workers refresh at the same instants, and so share the shards.
  const sinceTick = () => now() % refreshMs
  let ticks = 0
  const notify = () => stages.notify()
  const refresh = () => (ticks++ === 0 ? {} : { now: now() - sinceTick(), isShared: true })
  const chores = [
    { work: () => rollUp({ refresh: true, ...refresh() }, signal).then(notify), nextIn: () => refreshMs - sinceTick() },
    { work: () => rollUp({}, signal).then(notify), nextIn: untilClosing },
    { work: () => runShards(stages.compact, { now: now() }, signal), nextIn: () => millisecondsInHour },
    { work: () => stages.pruneRaw(now()), nextIn: () => millisecondsInDay },
    { work: notify, nextIn: () => NOTIFY_MS },
  ]
  const stop = startTimers(chores, (error) => {
    if (!signal.aborted || !isShuttingDown(error)) told.onError(error)
  })
  return () => {
    stopping.abort()
    return stop()
  }
}

const isShuttingDown = (error: Error): boolean => error instanceof CoolerError && error.code === 'shutting-down'

async function startQueueWorkers({ config, pipeline, stages, told }: Work): Promise<() => Promise<void>> {
  const { redisUrl, refreshMs, rollupAtMinute } = config
  const { logger, traces, redis } = told
  const { startWorkers } = await import('../../jobs/worker.ts')
  const workers = await startWorkers({
    redis: redisUrl ?? '',
    traces,
    ...stages,
    refreshMs,
    rollupAtMinute,
    now: pipeline.now,
    ...redis,
    onFailed: (job, error) => logger.warn({ ...job, err: error }, 'job failed'),
  })
  return () => workers.close()
}

/** Adopts the rules of this process. If its time zone data is older than the store's, it lands and serves only. */
async function adoptRules(runner: Pipeline['runner'], now: number, logger: Logger): Promise<void> {
  try {
    const adopted = await runner.adoptRules(now)
    if (adopted === 'all') logger.warn('the rules have changed: all days are computed again')
    else if (adopted !== 'nothing')
      logger.warn(adopted, 'the time zone data has changed: the days of these zones are computed again')
  } catch (error) {
    if (!(error instanceof CoolerError && error.code === 'other-rules')) throw error
    logger.error({ err: error }, 'this process does not roll up')
  }
}
