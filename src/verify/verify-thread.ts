import { workerData } from 'piscina'
import { CoolerError } from '../base/errors.ts'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { Calendars } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { openStore, openStoreReader, type StoreOptions } from '../store/open-store.ts'
import { repairChunk, verifyChunk } from './verify-chunk.ts'
import type { VerifyResult, VerifyTask } from './verify-task.ts'

/** The start data of a verification thread. */
export interface VerifyThreadData {
  store: StoreOptions
  settings: RollupSettings
}

/** Most attempts of a repair. An attempt fails if a rollup commits between the repair's reading and its writing. */
const MOST_ATTEMPTS = 50

const data = workerData as VerifyThreadData
stepBack('computing')
const calendars = new Calendars(data.settings)
const reader = once(() => openStoreReader(data.store))
const writer = once(() => openStore(data.store))

/** Compares some blocks of a shard with the rollups that their raw events give. Writes nothing. */
export const verify = threadTask(
  async (task: VerifyTask): Promise<VerifyResult> => verifyChunk(await reader(), data.settings, calendars, task),
)

/** Makes wrong days in some blocks of a shard due, and deletes wrong rows that the next rollup would not overwrite. */
export const repair = threadTask(async (task: VerifyTask): Promise<void> => {
  const store = await writer()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (await repairChunk(store, data.settings, calendars, task)) return
  }
  throw new CoolerError('store-busy', `rollups of shard ${task.shard} keep coming in between: try again`)
})

export type VerifyTasks = { verify: typeof verify; repair: typeof repair }
