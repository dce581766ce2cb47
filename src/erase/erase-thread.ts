import { workerData } from 'piscina'
import { stepBack, threadTask } from '../base/threads.ts'
import { openStore, type StoreOptions } from '../store/open-store.ts'
import { eraseSteps } from './erase.ts'
import type { DayTask, EraseRequest, EraseSteps, RestTask } from './erase-request.ts'

/** The start data of an erasing thread. */
export interface EraseThreadData {
  store: StoreOptions
}

const data = workerData as EraseThreadData
stepBack('computing')
let steps: EraseSteps | null = null

function opened(): EraseSteps {
  steps ??= eraseSteps(openStore(data.store))
  return steps
}

export const begin = threadTask((request: EraseRequest) => opened().begin(request))
export const day = threadTask((task: DayTask) => opened().day(task))
export const rest = threadTask((task: RestTask) => opened().rest(task))
export const overwrite = threadTask((_: null) => opened().overwrite())

export type EraseTasks = { begin: typeof begin; day: typeof day; rest: typeof rest; overwrite: typeof overwrite }
