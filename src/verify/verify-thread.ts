import { workerData } from 'piscina'
import { CoolerError } from '../base/errors.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { Calendars } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { openStore, openStoreReader, type Store, type StoreOptions } from '../store/open-store.ts'
import { repairChunk, verifyChunk } from './verify-chunk.ts'
import type { VerifyResult, VerifyTask } from './verify-task.ts'

/** What a verification thread is started with. */
export interface VerifyThreadData {
  store: StoreOptions
  settings: RollupSettings
}

/** So often rollups may come in between a repair's reading and its writing. */
const MOST_ATTEMPTS = 50

const data = workerData as VerifyThreadData
stepBack('computing')
const calendars = new Calendars(data.settings)
let reader: Store | null = null
let writer: Store | null = null

/** Compares some blocks of a shard with what their raw events give; writes nothing. */
export const verify = threadTask((task: VerifyTask): Promise<VerifyResult> => {
  reader ??= openStoreReader(data.store)
  return verifyChunk(reader, data.settings, calendars, task)
})

/** Removes what is wrong in some blocks of a shard, as far as a rollup does not overwrite it, and makes it due. */
export const repair = threadTask(async (task: VerifyTask): Promise<void> => {
  writer ??= openStore(data.store)
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (await repairChunk(writer, data.settings, calendars, task)) return
  }
  throw new CoolerError('store-busy', `rollups of shard ${task.shard} keep coming in between: try again`)
})

export type VerifyTasks = { verify: typeof verify; repair: typeof repair }
