import type { Logger } from 'pino'
import type { Metrics, ServiceState, StoreState } from '../base/metrics.ts'
import type { IncomingBatch, LandingResult } from '../ingest/landing.ts'
import type { Queues } from '../queue/queues.ts'
import type { RollupRequest, RollupResult } from '../rollup/rollup-request.ts'
import type { CompactionResult, UpkeepResult } from '../upkeep/upkeep.ts'
import type { Pipeline } from './pipeline.ts'

/** The stages of the pipeline that a service runs. */
export interface Stages {
  land(batch: IncomingBatch): Promise<LandingResult>
  rollUp(request: RollupRequest): Promise<RollupResult>
  compact(now: number): Promise<CompactionResult>
  pruneRaw(now: number): Promise<UpkeepResult>
}

/** Returns the stages, which report to the metrics and write one log line for each outcome. */
export const measured = (
  { ingest, runner, upkeep }: Pipeline,
  metrics: Metrics,
  logger: Pick<Logger, 'info' | 'debug'>,
): Stages => {
  /** Logs an outcome at info level, or at debug level if the run found nothing to do. */
  const tell = (isSomething: boolean, outcome: object, message: string): void =>
    isSomething ? logger.info(outcome, message) : logger.debug(outcome, message)
  const upkept = async <Result extends UpkeepResult>(work: Promise<Result>, message: string): Promise<Result> => {
    const [seconds, result] = await timed(work)
    tell(
      Object.values(result).some((count) => count > 0),
      { ...result, seconds },
      message,
    )
    return result
  }
  return {
    async land(batch) {
      const [seconds, { commits, ...result }] = await timed(ingest.run('land', batch))
      for (const commit of commits) metrics.committed(commit)
      const { landed, rejected, rejections } = result
      logger.debug(
        { landed, rejected, reasons: [...new Set(rejections.map(({ reason }) => reason))], seconds },
        'landed',
      )
      return result
    },
    async rollUp(request) {
      const [seconds, result] = await timed(runner.run(request))
      metrics.rolledUp(seconds, result.deviceDays)
      tell(result.deviceDays > 0, { ...result, seconds }, 'rolled up')
      return result
    },
    async compact(now) {
      const result = await upkept(upkeep.compact(now), 'compacted')
      await runner.noteZones()
      return result
    },
    pruneRaw: (now) => upkept(upkeep.pruneRaw(now), 'raw events deleted'),
  }
}

async function timed<Result>(work: Promise<Result>): Promise<[seconds: number, result: Result]> {
  const from = performance.now()
  const result = await work
  return [(performance.now() - from) / 1000, result]
}

/** Reads the figures of store, queue and disk. A part that cannot be read is null and does not hide the others. */
export async function readServiceState(pipeline: Pipeline, queues: Queues | null): Promise<ServiceState> {
  const orNull = <Result>(part: Promise<Result>): Promise<Result | null> => part.catch(() => null)
  const [ofStore, queue, files] = await Promise.all([
    orNull(readStoreState(pipeline)),
    queues === null ? undefined : orNull(queues.counts().then((counts) => ({ ...counts }))),
    pipeline.reader.health.measure(),
  ])
  return { store: ofStore, queue, files }
}

/** Reads the store's figures for metrics and status. @throws CoolerError `store-too-new` */
export async function readStoreState({ reader, now }: Pipeline): Promise<StoreState> {
  await reader.health.refuseNewer()
  const { landing, due, registry, rollups } = reader
  return {
    ...(await landing.counters()),
    ...(await due.counts(now())),
    devices: await registry.count(),
    lastRollupAt: await rollups.lastRollupAt(),
  }
}
