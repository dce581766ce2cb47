import { workerData } from 'piscina'
import { openStoreReader, type Store, type StoreOptions } from '../open-store.ts'
import { stepBack, threadTask } from '../threads.ts'
import { type FleetAnswer, FleetReports, type FleetTask } from './fleet-report.ts'

/** What a report thread is started with. */
export interface ReportThreadData {
  store: StoreOptions
  defaultZone: string
}

const data = workerData as ReportThreadData
stepBack('computing')
let opened: { store: Store; reports: FleetReports } | null = null

/** One state of the store for the whole report, whatever commits meanwhile. */
function read(reads: (reports: FleetReports) => Promise<FleetAnswer>): Promise<FleetAnswer> {
  if (opened === null) {
    const store = openStoreReader(data.store)
    opened = { store, reports: new FleetReports(store.registry, store.report, data.defaultZone) }
  }
  const { store, reports } = opened
  return store.snapshot(() => reads(reports))
}

/** The daily report of a day. */
export const daily = threadTask((task: FleetTask) => read((reports) => reports.daily(task)))

/** The summary of a range. */
export const summary = threadTask((task: FleetTask) => read((reports) => reports.summary(task)))

export type ReportTasks = { daily: typeof daily; summary: typeof summary }
