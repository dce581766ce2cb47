import { startThreads, type Threads } from '../base/threads.ts'
import type { Config } from '../config/config.ts'
import { Eraser } from '../erase/eraser.ts'
import type { ExplainTasks, ExplainThreadData } from '../explain/explain-thread.ts'
import type { IngestTasks, IngestThreadData } from '../ingest/ingest-thread.ts'
import type { NotifyTasks, NotifyThreadData } from '../notify/notify-thread.ts'
import type { ReportSource } from '../report/replicated-reports.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { RollupRunner } from '../rollup/rollup-runner.ts'
import type { RollupTasks, RollupThreadData } from '../rollup/rollup-thread.ts'
import { newWriteTurn, openStore, openStoreReader, type Store, type StoreOptions } from '../store/open-store.ts'
import { Upkeep } from '../upkeep/upkeep.ts'
import type { UpkeepTasks, UpkeepThreadData } from '../upkeep/upkeep-thread.ts'
import { descriptionSettings, reportsOn } from './reports-on.ts'

/** Most batches that one ingest thread may hold at once: those that wait for the same commit. */
const BATCHES_IN_HAND = 512

/** The stages of the pipeline in this process. Each has its own threads, which start when it is first used. */
export interface Pipeline {
  /** Reads only and never waits for a writer. All writing is done on threads. */
  reader: Store
  /** Returns the time of the store, epoch ms, by which everything is decided. */
  now: () => number
  /** Options for opening further connections to the same files. */
  store: StoreOptions
  ingest: Threads<IngestTasks>
  /** Only checks batches, so that the queue accepts them even while landing waits for a store that is locked. */
  check: Threads<IngestTasks>
  runner: RollupRunner
  upkeep: Upkeep
  reports: ReportSource
  explain: Threads<ExplainTasks>
  eraser: Eraser
  /** Compares shards, composes messages, and writes the store of notices. */
  notify: Threads<NotifyTasks>
  /** Checks a copy of the store, on a thread. @throws CoolerError `store-damaged` */
  checkCopy(file: string): Promise<void>
  /** Ends running work, commits it and closes the store. */
  close(): Promise<void>
}

/** Returns the options with which the store is opened. */
export const storeOptions = ({ store, rejectsKept }: Config): StoreOptions => ({ location: store, rejectsKept })

/** Returns the settings on which the figures depend. */
export const rollupSettings = (config: Config): RollupSettings => ({
  defaultZone: config.defaultTimezone,
  daytime: config.daytime,
  rollupAtMinute: config.rollupAtMinute,
  silenceLimitMs: config.silenceLimitMs,
  doorCount: config.doorCount,
})

export interface PipelineOptions {
  /** Threads that check and land; 1 by default. */
  threads?: number
  /** Batches that each thread may hold at once; BATCHES_IN_HAND by default. */
  batchesInHand?: number
  /** Called when replicas can no longer be used for reports, with the reason, and with null when they can be again. */
  onReplica?: (reason: Error | null) => void
}

/**
 * Opens the store, creating or migrating it if needed, and the stages on it.
 *
 * @throws CoolerError as openStore
 */
export async function openPipeline(config: Config, parts: PipelineOptions = {}): Promise<Pipeline> {
  const options = { ...storeOptions(config), turn: newWriteTurn() }
  const writer = await openStore(options) // Creates or migrates the store before anything reads it.
  try {
    const reader = await openStoreReader({ ...options, identity: writer.health.identity })
    reader.rescue?.forgetLoss()
    const pipeline = pipelineOn(reader, config, { ...options, identity: reader.health.identity }, parts)
    return { ...pipeline, close: () => pipeline.close().then(() => leaveOneFile(pipeline.store)) }
  } finally {
    await writer.close() // Closed only now, so that both connections have the same files open.
  }
}

/**
 * Opens an existing store, and the stages on it, for reading only. Creates no file and no folder.
 *
 * @throws CoolerError as openStoreReader
 */
export async function openReadingPipeline(config: Config): Promise<Pipeline> {
  const options = storeOptions(config)
  const reader = await openStoreReader(options)
  return pipelineOn(reader, config, { ...options, identity: reader.health.identity })
}

function pipelineOn(
  reader: Store,
  config: Config,
  options: StoreOptions,
  { threads = 1, batchesInHand = BATCHES_IN_HAND, onReplica = () => {} }: PipelineOptions = {},
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
  const { reports, closeReports } = reportsOn(reader, config, options, onReplica)
  const explain = startThreads<ExplainTasks>(new URL('../explain/explain-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options, settings: rollupSettings(config) } satisfies ExplainThreadData,
  })
  const upkeepThread = startThreads<UpkeepTasks>(new URL('../upkeep/upkeep-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options } satisfies UpkeepThreadData,
  })
  const eraser = new Eraser({ store: options })
  const notify = startThreads<NotifyTasks>(new URL('../notify/notify-thread.ts', import.meta.url), {
    threads: 1,
    data: { store: options, settings: descriptionSettings(config) } satisfies NotifyThreadData,
  })
  const upkeep = new Upkeep(reader, upkeepThread, config.rawRetentionMs)
  return {
    reader,
    now: () => reader.clock.now(),
    store: options,
    ingest,
    check,
    runner: new RollupRunner(reader, rollup, config.threads),
    upkeep,
    reports,
    explain,
    eraser,
    notify,
    checkCopy: (file) => upkeepThread.run('checkCopy', { file }),
    async close() {
      upkeep.stop()
      await notify.close()
      await eraser.close()
      await check.close()
      await ingest.close()
      await rollup.close()
      await upkeepThread.close()
      await closeReports()
      await explain.close()
      await reader.close()
    },
  }
}

/**
 * Merges the write-ahead log into the store. The last connection does so when it closes, unless it is read-only.
 * Nothing is lost if this fails or is left out, but people copy the store file by hand.
 */
async function leaveOneFile(options: StoreOptions): Promise<void> {
  try {
    const store = await openStore(options)
    await store.close()
  } catch {
    // The store may be full, busy or migrated by a newer program. The next process to close it merges the log.
  }
}
