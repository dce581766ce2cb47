import { startThreads, type Threads } from '../base/threads.ts'
import type { Config } from '../config/config.ts'
import { Eraser } from '../erase/eraser.ts'
import type { ExplainTasks, ExplainThreadData } from '../explain/explain-thread.ts'
import type { IngestTasks, IngestThreadData } from '../ingest/ingest-thread.ts'
import type { ReportTasks, ReportThreadData } from '../report/report-thread.ts'
import { Reports } from '../report/reports.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { RollupRunner } from '../rollup/rollup-runner.ts'
import type { RollupTasks, RollupThreadData } from '../rollup/rollup-thread.ts'
import { newWriteTurn, openStore, openStoreReader, type Store, type StoreOptions } from '../store/open-store.ts'
import { Upkeep } from '../upkeep/upkeep.ts'
import type { UpkeepTasks, UpkeepThreadData } from '../upkeep/upkeep-thread.ts'

/** Batches that one ingest thread may have in hand: those that wait for the same commit. */
const BATCHES_IN_HAND = 512

/** The stages of the pipeline in this process, each on threads of its own; a stage starts when it is first used. */
export interface Pipeline {
  /** Reads only, never waits for a writer; what writes has a thread. */
  reader: Store
  /** For further connections to the same files. */
  store: StoreOptions
  ingest: Threads<IngestTasks>
  /** For checks alone: where batches wait for a store that someone else keeps locked, the queue takes others in. */
  check: Threads<IngestTasks>
  runner: RollupRunner
  upkeep: Upkeep
  reports: Reports
  explain: Threads<ExplainTasks>
  eraser: Eraser
  /** Checks a copy of the store, on a thread. @throws CoolerError `store-damaged` */
  checkCopy(file: string): Promise<void>
  /** Ends running work, commits it and closes the store. */
  close(): Promise<void>
}

/** Returns the settings by which the store is opened. */
export const storeOptions = ({ store, rejectsKept }: Config): StoreOptions => ({ location: store, rejectsKept })

/** Returns the settings on which the figures depend. */
export const rollupSettings = (config: Config): RollupSettings => ({
  defaultZone: config.defaultTimezone,
  daytime: config.daytime,
  rollupAtMinute: config.rollupAtMinute,
  silenceLimitMs: config.silenceLimitMs,
  doorCount: config.doorCount,
})

/** How much the landing stage has in hand. */
export interface IngestOptions {
  /** Threads that check and land; one unless set. */
  threads?: number
  /** Batches that each of them may have in hand, BATCHES_IN_HAND unless set. */
  batchesInHand?: number
}

/**
 * Opens the store, making or migrating it, and the stages on it.
 *
 * @throws CoolerError as openStore
 */
export function openPipeline(config: Config, ingest: IngestOptions = {}): Pipeline {
  const options = { ...storeOptions(config), turn: newWriteTurn() }
  const writer = openStore(options) // Makes or migrates it, before anything reads.
  try {
    const reader = openStoreReader({ ...options, identity: writer.health.identity })
    reader.rescue.forgetLoss()
    const pipeline = pipelineOn(reader, config, { ...options, identity: reader.health.identity }, ingest)
    return { ...pipeline, close: () => pipeline.close().then(() => leaveOneFile(pipeline.store)) }
  } finally {
    writer.close() // Not before: the two have the same files open.
  }
}

/**
 * Opens an existing store, and the stages on it, for what only reads: no file is made, nor a folder.
 *
 * @throws CoolerError as openStoreReader
 */
export function openReadingPipeline(config: Config): Pipeline {
  const options = storeOptions(config)
  const reader = openStoreReader(options)
  return pipelineOn(reader, config, { ...options, identity: reader.health.identity })
}

function pipelineOn(
  reader: Store,
  config: Config,
  options: StoreOptions,
  { threads = 1, batchesInHand = BATCHES_IN_HAND }: IngestOptions = {},
): Pipeline {
  const ingestThreads = (count: number): Threads<IngestTasks> =>
    startThreads(new URL('../ingest/ingest-thread.ts', import.meta.url), {
      threads: count,
      tasksPerThread: batchesInHand,
      data: { store: options } satisfies IngestThreadData,
    })
  const [ingest, check] = [ingestThreads(threads), ingestThreads(1)]
  const rollup = startThreads<RollupTasks>(new URL('../rollup/rollup-thread.ts', import.meta.url), {
    threads: config.threads,
    data: { store: options, settings: rollupSettings(config) } satisfies RollupThreadData,
  })
  const report = startThreads<ReportTasks>(new URL('../report/report-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options, defaultZone: config.defaultTimezone } satisfies ReportThreadData,
  })
  const explain = startThreads<ExplainTasks>(new URL('../explain/explain-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options, settings: rollupSettings(config) } satisfies ExplainThreadData,
  })
  const upkeepThread = startThreads<UpkeepTasks>(new URL('../upkeep/upkeep-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options } satisfies UpkeepThreadData,
  })
  const eraser = new Eraser({ store: options })
  const upkeep = new Upkeep(reader.archive, upkeepThread, config.rawRetentionMs)
  return {
    reader,
    store: options,
    ingest,
    check,
    runner: new RollupRunner(reader, rollup),
    upkeep,
    reports: new Reports(reader, report, {
      defaultZone: config.defaultTimezone,
      cacheBytes: config.reportCacheBytes,
    }),
    explain,
    eraser,
    checkCopy: (file) => upkeepThread.run('checkCopy', { file }),
    async close() {
      upkeep.stop()
      await eraser.close()
      await check.close()
      await ingest.close()
      await rollup.close()
      await upkeepThread.close()
      await report.close()
      await explain.close()
      reader.close()
    },
  }
}

/**
 * The last who closes a store merges its write-ahead log into it; who only reads cannot. Nothing is lost where this
 * fails, nor where it is left out: but people copy the one file by hand.
 */
function leaveOneFile(options: StoreOptions): void {
  try {
    openStore(options).close()
  } catch {
    // Full, busy or of a newer program by now: the log stays beside it, and the next one merges it.
  }
}
