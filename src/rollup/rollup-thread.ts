import { workerData } from 'piscina'
import { CoolerError } from '../base/errors.ts'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { openStore, type Store, type StoreOptions } from '../store/open-store.ts'
import { aheadOf } from './due-plan.ts'
import { rollUpShard } from './roll-up-shard.ts'
import { RollupMemory } from './rollup-memory.ts'
import type { RollupRequest, RollupResult, RollupSettings } from './rollup-request.ts'
import { type Adopted, adoptRules, noteZoneClocks } from './rules.ts'

/** The data that a rollup thread is started with. */
export interface RollupThreadData {
  store: StoreOptions
  settings: RollupSettings
}

export interface RollupTask {
  shard: number
  request: RollupRequest
}

const data = workerData as RollupThreadData
stepBack('computing')
const memory = new RollupMemory()
const opened = once(() => openStore(data.store))

/** Opens the store on first use. A store that was never rolled up has no rules yet and adopts those of this process. */
async function openedStore(): Promise<Store> {
  const store = await opened()
  if ((await store.rollups.rules()) === null) await adoptRules(store, data.settings, store.clock.now())
  return store
}

/** Computes everything that is due in one shard. */
export const rollUp = threadTask(async ({ shard, request }: RollupTask): Promise<RollupResult> => {
  const store = await openedStore()
  return rollUpShard(store, shard, data.settings, { ...request, clock: () => store.clock.now() }, memory)
})

/**
 * Records the instant up to which everything is rolled up, which settles days without data. After a retryable error,
 * such as a busy store, this is left to the next rollup.
 */
export const note = threadTask(async ({ now }: { now: number }): Promise<void> => {
  const { rollups, clock } = await openedStore()
  try {
    // Not `aheadOf(now)`: during a long rollup other processes may have done later ones.
    await rollups.noteRolledUp(now, aheadOf(clock.now()))
  } catch (error) {
    if (!(error instanceof CoolerError && error.retryable)) throw error
  }
})

/** Makes the settings of this process the rules of the store; returns which days became due by it. */
export const adopt = threadTask(
  async ({ now }: { now: number }): Promise<Adopted> => adoptRules(await opened(), data.settings, now),
)

/** Records the clocks of zones that are new in the store. */
export const noteZones = threadTask(async (): Promise<void> => noteZoneClocks(await openedStore(), data.settings))

export type RollupTasks = {
  rollUp: typeof rollUp
  adopt: typeof adopt
  note: typeof note
  noteZones: typeof noteZones
}
