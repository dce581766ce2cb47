import { startThreads, type Threads } from '../base/threads.ts'
import type { Config } from '../config/config.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import { type ReplicaReports, ReplicatedReports, type ReportSource } from '../report/replicated-reports.ts'
import type { ReportTasks, ReportThreadData } from '../report/report-thread.ts'
import { Reports } from '../report/reports.ts'
import type { Store, StoreOptions } from '../store/open-store.ts'
import { openReplica } from './open-replica.ts'

/** Returns what answers reports, from replicas where the settings name some, and a function that closes it. */
export function reportsOn(
  reader: Store,
  config: Config,
  store: StoreOptions,
  onReplica: (reason: Error | null) => void,
): { reports: ReportSource; closeReports: () => Promise<void> } {
  const primary = reportsOf(reader, config, store)
  if (config.reportStore === null) return { reports: primary.reports, closeReports: primary.close }
  const location = config.reportStore
  const replicated = new ReplicatedReports({
    primary: primary.reports,
    openReplica: () => openReplicaReports(reader, config, { ...store, location, replica: true }),
    onChange: onReplica,
  })
  return {
    reports: replicated,
    async closeReports() {
      await replicated.close()
      await primary.close()
    },
  }
}

/** Returns the settings by which days are described. */
export const descriptionSettings = (config: Config): DescriptionSettings => ({
  defaultZone: config.defaultTimezone,
  daytime: config.daytime,
  rollupAtMinute: config.rollupAtMinute,
  exceptions: config.exceptions,
})

function reportsOf(
  reader: Store,
  config: Config,
  store: StoreOptions,
): { reports: Reports; close: () => Promise<void> } {
  const { defaultTimezone: defaultZone, reportCacheBytes: cacheBytes, threads } = config
  const startThread = (): Threads<ReportTasks> =>
    startThreads(new URL('../report/report-thread.ts', import.meta.url), {
      threads: 1,
      data: { store, settings: descriptionSettings(config) } satisfies ReportThreadData,
    })
  const thread = startThread()
  const helper = threads > 1 ? startThread() : null
  return {
    reports: new Reports(reader, thread, { defaultZone, cacheBytes, helper }),
    async close() {
      await thread.close()
      await helper?.close()
    },
  }
}

/** @throws CoolerError as openReplica */
async function openReplicaReports(store: Store, config: Config, options: StoreOptions): Promise<ReplicaReports> {
  const replica = await openReplica(store, options)
  const { reports, close } = reportsOf(replica, config, options)
  return {
    reports,
    version: () => replica.rollups.reportVersion(),
    async close() {
      await close()
      await replica.close()
    },
  }
}
