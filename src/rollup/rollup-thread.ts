import { workerData } from 'piscina'
import { openStore, type Store, type StoreOptions } from '../open-store.ts'
import { threadTask } from '../threads.ts'
import { rollUpShard } from './roll-up-shard.ts'
import type { RollupRequest, RollupResult, RollupSettings } from './rollup-request.ts'

/** What a rollup thread is started with. */
export interface RollupThreadData {
  store: StoreOptions
  settings: RollupSettings
}

export interface RollupTask {
  shard: number
  request: RollupRequest
}

const data = workerData as RollupThreadData
let store: Store | null = null

/** Computes everything that is due of one shard. */
export const rollUp = threadTask(({ shard, request }: RollupTask): Promise<RollupResult> => {
  store ??= openStore(data.store)
  return rollUpShard(store, shard, data.settings, request)
})

export type RollupTasks = { rollUp: typeof rollUp }
