import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Queues } from '../../jobs/queues.ts'
import type { Config } from '../config.ts'
import type { IncomingBatch, LandingResult } from '../ingest/landing.ts'
import type { Figures, Metrics, StoreFigures } from '../metrics.ts'
import type { RollupRequest, RollupResult } from '../rollup/rollup-request.ts'
import type { Pipeline } from './pipeline.ts'

/** The two stages of the pipeline that a service runs. */
export interface Stages {
  land(batch: IncomingBatch): Promise<LandingResult>
  rollUp(request: RollupRequest): Promise<RollupResult>
}

/** The stages, telling the metrics what they did. */
export const measured = ({ ingest, runner }: Pipeline, metrics: Metrics): Stages => ({
  async land(batch) {
    const { commits, ...result } = await ingest.run('land', batch)
    for (const commit of commits) metrics.committed(commit)
    return result
  },
  async rollUp(request) {
    const from = performance.now()
    const result = await runner.run(request)
    metrics.rolledUp((performance.now() - from) / 1000, result.deviceDays)
    return result
  },
})

/** What store, queue and disk tell. A part that cannot be read must not hide the others. */
export async function figuresOf({ store }: Config, pipeline: Pipeline, queues: Queues | null): Promise<Figures> {
  const orNull = <Result>(part: Promise<Result>): Promise<Result | null> => part.catch(() => null)
  const [ofStore, queue, freeBytes] = await Promise.all([
    orNull(storeFigures(pipeline)),
    queues === null ? undefined : orNull(queues.counts().then((counts) => ({ ...counts }))),
    orNull(statfs(dirname(store)).then(({ bavail, bsize }) => bavail * bsize)),
  ])
  return {
    store: ofStore,
    queue,
    files: { storeBytes: bytesOf(store), walBytes: bytesOf(`${store}-wal`), freeBytes },
  }
}

/** @throws CoolerError `store-too-new` */
export async function storeFigures({ reader }: Pipeline): Promise<StoreFigures> {
  reader.refuseNewer()
  const { raw, registry, report } = reader
  return {
    ...(await raw.counters()),
    ...(await raw.due(Date.now())),
    devices: await registry.count(),
    lastRollupAt: await report.lastRollupAt(),
  }
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
