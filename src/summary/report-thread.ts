import { workerData } from 'piscina'
import { openStoreReader, type Store, type StoreOptions } from '../open-store.ts'
import { threadTask } from '../threads.ts'
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
  now: number
}

const data = workerData as ReportThreadData
let store: Store | null = null

/** One state of the store for the whole report, whatever commits meanwhile. */
function read<Result>(now: number, reads: (context: ReportContext) => Promise<Result>): Promise<Result> {
  store ??= openStoreReader(data.store)
  const { registry, report } = store
  return store.snapshot(() => reads({ registry, report, defaultZone: data.defaultZone, now }))
}

/** The daily report of a day as JSON text. */
export const daily = threadTask(async ({ fromDay, ids, now }: ReportTask): Promise<Uint8Array> => {
  const entries = await read(now, (context) => dailyEntries(context, fromDay, ids))
  return Buffer.from(dailyJson(fromDay, entries))
})

/** The summary of a range as JSON text. */
export const summary = threadTask(async ({ fromDay, toDay, ids, now }: ReportTask): Promise<Uint8Array> => {
  const entries = await read(now, (context) => summaryEntries(context, { fromDay, toDay }, ids))
  return Buffer.from(summaryJson(entries))
})

export type ReportTasks = { daily: typeof daily; summary: typeof summary }
