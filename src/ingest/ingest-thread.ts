import { workerData } from 'piscina'
import type { Commit } from '../base/metrics.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { takenFrom } from '../store/archive.ts'
import { openStore, type Store, type StoreOptions } from '../store/open-store.ts'
import type { Device, DeviceChange } from '../store/registry.ts'
import { type FileRange, linesOfRange } from './files/file-range.ts'
import { checkContext, checkInto, type IncomingBatch, type LandingOptions, type LandingResult } from './landing.ts'
import { Landings } from './landings.ts'
import { type PackedJob, packed } from './packed/pack-batch.ts'

/** What an ingest thread is started with. */
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
/** Epoch ms; as it was when the last task began. */
let purgedBefore = 0
/** Commits that nobody has been told of yet. */
let commits: Commit[] = []
const options: LandingOptions = {
  now: Date.now,
  purgedBefore: () => purgedBefore,
  onCommit: (commit) => commits.push(commit),
}

let store: Store | null = null
let landings: Landings | null = null

async function openedStore(): Promise<Store> {
  store ??= openStore(storeOptions)
  purgedBefore = takenFrom(await store.archive.purgedBefore())
  return store
}

/** What became of a batch, and the commits since the last one was told of. */
export type Landed = LandingResult & { commits: Commit[] }

/** Lands a batch; answers when it is durable. Many tasks at once share a commit. */
export const land = threadTask(async (batch: IncomingBatch): Promise<Landed> => {
  const { landing } = await openedStore()
  landings ??= new Landings(landing, options)
  const result = await landings.land(batch)
  return { ...result, commits: told() }
})

function told(): Commit[] {
  const all = commits
  commits = []
  return all
}

/**
 * Lands the lines of a part of a file, which this thread reads itself; answers when all are durable. Most of them share
 * one commit.
 */
export const landRange = threadTask(async (range: FileRange): Promise<Omit<LandingResult, 'rejections'>> => {
  const { landing } = await openedStore()
  landings ??= new Landings(landing, options)
  const results: Promise<LandingResult>[] = []
  for (const ndjson of linesOfRange(range)) results.push(landings.land({ ndjson, mostLines: Number.MAX_SAFE_INTEGER }))
  let [landed, rejected] = [0, 0]
  for (const result of await Promise.all(results)) {
    landed += result.landed
    rejected += result.rejected
  }
  told() // The program that reads files has no metrics.
  return { landed, rejected }
})

/** Checks a batch as landing will, and packs it for the queue instead of landing it. */
export const check = threadTask(async (batch: IncomingBatch): Promise<PackedJob> => {
  await openedStore()
  const context = checkContext(batch, options)
  return packed((group, onRejected) => checkInto(group, batch, context, onRejected))
})

/** A change of the registry by a person; made here, since it may have to wait for the store like any landing. */
export const putDevice = threadTask(async ({ id, change, now }: DevicePut): Promise<Device> => {
  const { registry } = await openedStore()
  return registry.put(id, change, now)
})

/** Takes rejected events that have been replayed out of those that are kept; made here for the same reason. */
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
