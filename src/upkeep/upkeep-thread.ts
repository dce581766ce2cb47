import { workerData } from 'piscina'
import { stepBack, threadTask } from '../base/threads.ts'
import { checkCopy as checkStoreCopy, openStore, type Store, type StoreOptions } from '../store/open-store.ts'
import { compactDay } from './compact-day.ts'

/** The data that an upkeep thread is started with. */
export interface UpkeepThreadData {
  store: StoreOptions
}

const data = workerData as UpkeepThreadData
stepBack('computing')
let store: Store | null = null

function archive() {
  store ??= openStore(data.store)
  return store.archive
}

/** Compacts one UTC day of a shard; returns the number of its events that were not compacted before. */
export const compact = threadTask(
  ({ shard, utcDay }: { shard: number; utcDay: number }): Promise<number> => compactDay(archive(), shard, utcDay),
)

/** Deletes the raw events of the earliest UTC day before `beforeUtcDay`; returns null if no day can be deleted. */
export const prune = threadTask(({ beforeUtcDay }: { beforeUtcDay: number }) => archive().pruneDay(beforeUtcDay))

/** Turns a copy of a store into one self-contained file and checks it. Does not open this thread's store. */
export const checkCopy = threadTask(({ file }: { file: string }): void => checkStoreCopy(file, 'full'))

export type UpkeepTasks = { compact: typeof compact; prune: typeof prune; checkCopy: typeof checkCopy }
