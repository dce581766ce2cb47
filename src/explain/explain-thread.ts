import { workerData } from 'piscina'
import { stepBack, threadTask } from '../base/threads.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { openStoreReader, type Store, type StoreOptions } from '../store/open-store.ts'
import { type ExplainRequest, explainDay } from './explain-day.ts'

/** What an explaining thread is started with. */
export interface ExplainThreadData {
  store: StoreOptions
  settings: RollupSettings
}

const data = workerData as ExplainThreadData
stepBack('computing')
let store: Store | null = null

/** Explains a device-day: on a thread, since a day that is not compacted is read with all other devices of its shard. */
export const explain = threadTask((request: ExplainRequest) => {
  store ??= openStoreReader(data.store)
  return explainDay(store, data.settings, request)
})

export type ExplainTasks = { explain: typeof explain }
