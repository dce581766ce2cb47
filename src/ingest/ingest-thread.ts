import { workerData } from 'piscina'
import type { Commit } from '../base/metrics.ts'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { takenFrom } from '../store/archive.ts'
import { openStore, type Store, type StoreOptions } from '../store/open-store.ts'
import type { Device, DeviceChange } from '../store/registry.ts'
import { MACHINE_CLOCK, type StoreClock } from '../store/store-clock.ts'
import { type FileRange, linesOfRange } from './files/file-range.ts'
import { checkContext, checkInto, type IncomingBatch, type LandingOptions, type LandingResult } from './landing.ts'
import { Landings } from './landings.ts'
import { type PackedJob, packed } from './packed/pack-batch.ts'

/** The `workerData` of an ingest thread. */
export interface IngestThreadData {
  store: StoreOptions
}

export interface DevicePut {
  id: string
  change: DeviceChange
  /** Epoch ms. */
  now: number
}

const { store: storeOptions } = workerData as IngestThreadData
stepBack('landing')
let clock: StoreClock = MACHINE_CLOCK
/** Epoch ms; read when the last task began. */
let purgedBefore = 0
/** Commits that have not been reported yet. */
let commits: Commit[] = []
const options: LandingOptions = {
  now: () => clock.now(),
  purgedBefore: () => purgedBefore,
  onCommit: (commit) => commits.push(commit),
}

const opened = once(() => openStore(storeOptions))
let landings: Landings | null = null

async function openedStore(): Promise<Store> {
  const store = await opened()
  clock = store.clock
  purgedBefore = takenFrom(await store.archive.purgedBefore())
  return store
}

/** The result of a batch, and the commits since the last report. */
export type Landed = LandingResult & { commits: Commit[] }

/** Lands a batch and resolves when it is durable. Concurrent tasks share a commit. */
export const land = threadTask(async (batch: IncomingBatch): Promise<Landed> => {
  const { landing } = await openedStore()
  landings ??= new Landings(landing, options)
  const result = await landings.land(batch)
  return { ...result, commits: takeCommits() }
})

function takeCommits(): Commit[] {
  const all = commits
  commits = []
  return all
}

/**
 * Reads a part of a file on this thread, lands its lines, and resolves when all of them are durable. They are committed
 * without those of other parts: a rollup has little to sort if each commit holds a stretch of time.
 */
export const landRange = threadTask(async (range: FileRange): Promise<Omit<LandingResult, 'rejections'>> => {
  const { landing } = await openedStore()
  landings ??= new Landings(landing, options)
  const results: Promise<LandingResult>[] = []
  for (const ndjson of linesOfRange(range)) results.push(landings.land({ ndjson, mostLines: Number.MAX_SAFE_INTEGER }))
  landings.commit()
  let [landed, rejected] = [0, 0]
  for (const result of await Promise.all(results)) {
    landed += result.landed
    rejected += result.rejected
  }
  takeCommits() // Dropped: the program that reads files has no metrics.
  return { landed, rejected }
})

/** Checks a batch as landing does, and packs it for the queue instead of landing it. */
export const check = threadTask(async (batch: IncomingBatch): Promise<PackedJob> => {
  await openedStore()
  const context = checkContext(batch, options)
  return packed((group, onRejected) => checkInto(group, batch, context, onRejected))
})

/** Writes a person's change to the registry; on this thread, because it may have to wait for the store. */
export const putDevice = threadTask(async ({ id, change, now }: DevicePut): Promise<Device> => {
  const { registry } = await openedStore()
  return registry.put(id, change, now)
})

/** Deletes rejected events that have been replayed; on this thread for the same reason. */
export const forgetRejects = threadTask(async (ids: readonly number[]): Promise<void> => {
  const { rejects } = await openedStore()
  await rejects.delete(ids)
})

export type IngestTasks = {
  land: typeof land
  landRange: typeof landRange
  check: typeof check
  putDevice: typeof putDevice
  forgetRejects: typeof forgetRejects
}
