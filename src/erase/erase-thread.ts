import { workerData } from 'piscina'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { openStore, type StoreOptions } from '../store/open-store.ts'
import { eraseSteps } from './erase.ts'
import type { DayTask, EraseRequest, RestTask } from './erase-request.ts'

/** The start data of an erasing thread. */
export interface EraseThreadData {
  store: StoreOptions
}

const data = workerData as EraseThreadData
stepBack('computing')
const opened = once(async () => eraseSteps(await openStore(data.store)))

export const begin = threadTask(async (request: EraseRequest) => (await opened()).begin(request))
export const day = threadTask(async (task: DayTask) => (await opened()).day(task))
export const rest = threadTask(async (task: RestTask) => (await opened()).rest(task))
export const overwrite = threadTask(async (_: null) => (await opened()).overwrite())

export type EraseTasks = { begin: typeof begin; day: typeof day; rest: typeof rest; overwrite: typeof overwrite }
