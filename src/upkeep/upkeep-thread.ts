import { workerData } from 'piscina'
import { stepBack, threadTask } from '../base/threads.ts'
import { checkCopy as checkStoreCopy, openStore, type Store, type StoreOptions } from '../store/open-store.ts'
import { compactDay } from './compact-day.ts'

/** What an upkeep thread is started with. */
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

/** Compacts one UTC day of a shard; gives the number of its events that were not compacted before. */
export const compact = threadTask(
  ({ shard, utcDay }: { shard: number; utcDay: number }): Promise<number> => compactDay(archive(), shard, utcDay),
)

/** Deletes the earliest UTC day before one; null where there is none that can be. */
export const prune = threadTask(({ beforeUtcDay }: { beforeUtcDay: number }) => archive().pruneDay(beforeUtcDay))

/** Makes a copy of a store one file that needs no other, and checks it: needs no store itself. */
export const checkCopy = threadTask(({ file }: { file: string }): void => checkStoreCopy(file, 'full'))

export type UpkeepTasks = { compact: typeof compact; prune: typeof prune; checkCopy: typeof checkCopy }
