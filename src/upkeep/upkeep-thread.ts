import { workerData } from 'piscina'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { checkCopy as checkStoreCopy, openStore, type StoreOptions } from '../store/open-store.ts'
import { compactDay } from './compact-day.ts'
import { sumWeeks } from './sum-weeks.ts'

/** The data that an upkeep thread is started with. */
export interface UpkeepThreadData {
  store: StoreOptions
}

const data = workerData as UpkeepThreadData
stepBack('computing')
const opened = once(() => openStore(data.store))

/** Makes room for what lands in the week after a UTC day. */
export const prepare = threadTask(
  async ({ utcDay }: { utcDay: number }): Promise<void> => (await opened()).archive.prepareDays(utcDay),
)

/** Compacts one UTC day of a shard; returns the number of its events that were not compacted before. */
export const compact = threadTask(
  async ({ shard, utcDay }: { shard: number; utcDay: number }): Promise<number> =>
    compactDay((await opened()).archive, shard, utcDay),
)

/** Sums the weeks of a shard that end before a day (epoch day); returns how many had no sums. */
export const sum = threadTask(
  async ({ shard, beforeDay }: { shard: number; beforeDay: number }): Promise<number> =>
    sumWeeks((await opened()).rollups, shard, beforeDay),
)

/** Deletes the raw events of the earliest UTC day before `beforeUtcDay`; returns null if no day can be deleted. */
export const prune = threadTask(async ({ beforeUtcDay }: { beforeUtcDay: number }) =>
  (await opened()).archive.pruneDay(beforeUtcDay),
)

/** Turns a copy of a store into one self-contained file and checks it. Does not open this thread's store. */
export const checkCopy = threadTask(({ file }: { file: string }): void => checkStoreCopy(file, 'full'))

export type UpkeepTasks = {
  prepare: typeof prepare
  compact: typeof compact
  sum: typeof sum
  prune: typeof prune
  checkCopy: typeof checkCopy
}
