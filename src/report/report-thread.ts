import { workerData } from 'piscina'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import { openStoreReader, type StoreOptions } from '../store/open-store.ts'
import type { StoreView } from '../store/view.ts'
import type { DescriptionSettings } from './device-days.ts'
import { ExportSessions, type ExportTask, type ReadReport } from './export/export-sessions.ts'
import { type FleetFileTask, fleetHead } from './export/fleet-file.ts'
import { chooseDevices, type DeviceChoice } from './fleet/chosen-devices.ts'
import type { Part } from './fleet/fleet.ts'
import { KeptFleet } from './fleet/fleet.ts'
import { FleetLists } from './fleet/fleet-list.ts'
import type { FleetListTask } from './fleet/fleet-page.ts'
import { FleetReports, type FleetTask } from './fleet/fleet-report.ts'
import { join, type ReportName, type ReportPart } from './fleet/report-parts.ts'

/** The data that a report thread is started with. */
export interface ReportThreadData {
  store: StoreOptions
  settings: DescriptionSettings
}

const data = workerData as ReportThreadData
stepBack('computing')
const fleet = new KeptFleet(data.settings.defaultZone)
const reports = new FleetReports(fleet)
const lists = new FleetLists(fleet, data.settings)
const opened = once(() => openStoreReader(data.store))

/** Runs reads in one snapshot of the store, so that the whole report is of one state. */
async function read<Result>(reads: (reports: FleetReports, view: StoreView) => Promise<Result>): Promise<Result> {
  const store = await opened()
  return store.snapshot((view) => reads(reports, view))
}

/** Makes the daily report of a day. */
export const daily = threadTask((task: FleetTask) => read((reports, view) => reports.daily(view, task)))

/** Makes the summary of a range. */
export const summary = threadTask((task: FleetTask) => read((reports, view) => reports.summary(view, task)))

/** Makes a page of a list of the fleet. */
export const list = threadTask(async (task: FleetListTask) => {
  const store = await opened()
  return store.snapshot((view) => lists.list(view, task))
})

/** Tells where the devices of a fleet are meant to stand. */
export const map = threadTask(async (task: FleetListTask) => {
  const store = await opened()
  return store.snapshot((view) => lists.map(view, task))
})

/** Returns which devices a selection is, and whether their days are settled. */
export const choose = threadTask(async (task: DeviceChoice) => {
  const store = await opened()
  return store.snapshot(async (view) => chooseDevices(view, await fleet.read(view.registry), task, data.settings))
})

/** A part of a report to make. */
export interface PartTask {
  name: ReportName
  task: FleetTask
  part: Part
}

/** Makes a part of a report. */
export const part = threadTask(({ name, task, part }: PartTask) =>
  read((reports, view) => reports.part(name, view, task, part)),
)

/** A report to put together from all of its parts. */
export interface JoinTask extends Omit<PartTask, 'part'> {
  parts: readonly ReportPart[]
}

/** Puts a report together from its parts. */
export const joinParts = threadTask(({ name, task, parts }: JoinTask) => ({
  bytes: join(name, task, parts),
  until: Math.min(...parts.map(({ until }) => until)),
  version: parts[0].version,
}))

const sessions = new ExportSessions()

/** Starts to make a report as a file; returns the session number by which its pieces are requested. */
export const exportBegin = threadTask(async (task: ExportTask) => {
  const report = await read(
    async (reports, view): Promise<ReadReport> => ({
      json: task.json === undefined ? (await reports[task.name](view, task.task)).bytes : Buffer.from(task.json),
      rules: await view.rollups.rules(),
    }),
  )
  return sessions.begin(task, report)
})

/** Starts to make a list of the fleet as a file; returns its session number, as exportBegin. */
export const exportFleet = threadTask(async ({ task, ...form }: FleetFileTask) => {
  const store = await opened()
  const { slices, head } = await store.snapshot(async (view) => {
    const page = await lists.page(view, task)
    return { slices: await page.slices(view), head: fleetHead(task, page, await view.rollups.rules()) }
  })
  return sessions.beginWith(slices, head, form)
})

export const exportNext = threadTask((session: number) => sessions.next(session))

/** Abandons a file whose rest nobody wants. */
export const exportEnd = threadTask((session: number) => sessions.end(session))

/** Returns the number of files being made. */
export const exportsOpen = threadTask(() => sessions.size)

export type ReportTasks = {
  daily: typeof daily
  summary: typeof summary
  list: typeof list
  map: typeof map
  choose: typeof choose
  part: typeof part
  joinParts: typeof joinParts
  exportBegin: typeof exportBegin
  exportFleet: typeof exportFleet
  exportNext: typeof exportNext
  exportEnd: typeof exportEnd
  exportsOpen: typeof exportsOpen
}
