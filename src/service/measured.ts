import type { Logger } from 'pino'
import type { Metrics, ServiceState, StoreState } from '../base/metrics.ts'
import type { IncomingBatch, LandingResult } from '../ingest/landing.ts'
import type { Notified, Notifier } from '../notify/notifier.ts'
import type { Queues } from '../queue/queues.ts'
import type { RollupRequest, RollupResult } from '../rollup/rollup-request.ts'
import type { ShardedWork } from '../store/sharded-work.ts'
import type { CompactionRequest, CompactionResult } from '../upkeep/compaction.ts'
import type { UpkeepResult } from '../upkeep/upkeep.ts'
import type { Pipeline } from './pipeline.ts'

/** The stages of the pipeline that a service runs. */
export interface Stages {
  land(batch: IncomingBatch): Promise<LandingResult>
  rollUp: ShardedWork<RollupRequest, RollupResult>
  compact: ShardedWork<CompactionRequest, CompactionResult>
  pruneRaw(now: number): Promise<UpkeepResult>
  notify(): Promise<Notified>
}

/** Returns the stages, which report to the metrics and write one log line for each outcome. */
export const measured = (
  { ingest, runner, upkeep, now }: Pipeline,
  metrics: Metrics,
  logger: Pick<Logger, 'info' | 'debug' | 'warn'>,
  notifier: Notifier,
): Stages => {
  /** Logs an outcome at info level, or at debug level if the run found nothing to do. */
  const tell = (isSomething: boolean, outcome: object, message: string): void =>
    isSomething ? logger.info(outcome, message) : logger.debug(outcome, message)
  const tellUpkeep = (result: UpkeepResult, seconds: number, message: string): void =>
    tell(
      Object.values(result).some((count) => count > 0),
      { ...result, seconds },
      message,
    )
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
    rollUp: followed(runner, now, (result, seconds) => {
      metrics.rolledUp(seconds, result.deviceDays)
      tell(result.deviceDays > 0, { ...result, seconds }, 'rolled up')
    }),
    compact: followed(upkeep.compaction, now, async (result, seconds) => {
      tellUpkeep(result, seconds, 'compacted')
      await runner.noteZones()
    }),
    async pruneRaw(now) {
      const [seconds, result] = await timed(upkeep.pruneRaw(now))
      tellUpkeep(result, seconds, 'raw events deleted')
      return result
    },
    async notify() {
      const [seconds, result] = await timed(
        notifier.run(({ id, subscription, attempts }, outcome) => {
          metrics.attempted(outcome.as)
          if (outcome.as !== 'sent')
            logger.warn({ message: id, subscription, attempts, reason: outcome.error }, 'a message was not delivered')
        }),
      )
      tell(result.composed + result.sent > 0, { ...result, seconds }, 'notified')
      return result
    },
  }
}

/** Returns a work that hands over each result, with the seconds since its request. */
const followed = <Request extends { now: number }, Result>(
  work: ShardedWork<Request, Result>,
  now: () => number,
  onDone: (result: Result, seconds: number) => Promise<void> | void,
): ShardedWork<Request, Result> => ({
  lanes: work.lanes,
  shards: work.shards,
  begin: (request) => work.begin(request),
  runShard: (request, shard) => work.runShard(request, shard),
  async finish(request, results) {
    const result = await work.finish(request, results)
    await onDone(result, Math.max(0, now() - request.now) / 1000)
    return result
  },
})

async function timed<Result>(work: Promise<Result>): Promise<[seconds: number, result: Result]> {
  const from = performance.now()
  const result = await work
  return [(performance.now() - from) / 1000, result]
}

/** Reads the figures of store, queue and disk. A part that cannot be read is null and does not hide the others. */
export async function readServiceState(pipeline: Pipeline, queues: Queues | null): Promise<ServiceState> {
  const orNull = <Result>(part: Promise<Result>): Promise<Result | null> => part.catch(() => null)
  const [ofStore, queue, files, server] = await Promise.all([
    orNull(readStoreState(pipeline)),
    queues === null ? undefined : orNull(queues.counts().then((counts) => ({ ...counts }))),
    orNull(pipeline.reader.health.measure()),
    orNull(pipeline.reader.health.server()),
  ])
  return { store: ofStore, queue, files, server }
}

/** Reads the store's figures for metrics and status. @throws CoolerError `store-too-new` */
export async function readStoreState({ reader, now }: Pipeline): Promise<StoreState> {
  await reader.health.refuseNewer()
  const { landing, due, registry, rollups, notices } = reader
  return {
    messages: await notices.messageCounts(),
    ...(await landing.counters()),
    ...(await due.counts(now())),
    devices: await registry.count(),
    lastRollupAt: await rollups.lastRollupAt(),
  }
}
