import { workerData } from 'piscina'
import type { DeviceLimit } from '../device-limit.ts'
import { openStoreReader, type Store, type StoreOptions } from '../open-store.ts'
import { stepBack, threadTask } from '../threads.ts'
import { dailyEntries, type ReportContext, summaryEntries } from './report.ts'
import { dailyJson, summaryJson } from './report-json.ts'

/** What a report thread is started with. */
export interface ReportThreadData {
  store: StoreOptions
  defaultZone: string
}

export interface ReportTask {
  /** Local days, epoch days; the same for the report of one day. */
  fromDay: number
  toDay: number
  ids?: readonly string[]
  /** The devices that the asker may see; null for all. */
  within: DeviceLimit | null
  now: number
}

const data = workerData as ReportThreadData
stepBack('computing')
let store: Store | null = null

/** One state of the store for the whole report, whatever commits meanwhile. */
function read<Result>(
  { now, within }: ReportTask,
  reads: (context: ReportContext) => Promise<Result>,
): Promise<Result> {
  store ??= openStoreReader(data.store)
  const { registry, report } = store
  return store.snapshot(() => reads({ registry, report, defaultZone: data.defaultZone, now, within }))
}

/** The daily report of a day as JSON text. */
export const daily = threadTask(async (task: ReportTask): Promise<Uint8Array> => {
  const { fromDay, ids } = task
  const entries = await read(task, (context) => dailyEntries(context, fromDay, ids))
  return Buffer.from(dailyJson(fromDay, entries))
})

/** The summary of a range as JSON text. */
export const summary = threadTask(async (task: ReportTask): Promise<Uint8Array> => {
  const entries = await read(task, (context) => summaryEntries(context, task, task.ids))
  return Buffer.from(summaryJson(entries))
})

export type ReportTasks = { daily: typeof daily; summary: typeof summary }
