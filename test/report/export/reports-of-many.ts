import { onTestFinished } from 'vitest'
import { startThreads } from '../../../src/base/threads.ts'
import type { ReportTasks, ReportThreadData } from '../../../src/report/report-thread.ts'
import { Reports } from '../../../src/report/reports.ts'
import { DESCRIPTION } from '../../helpers/description.ts'
import { NOON, visitors } from '../../helpers/events.ts'
import { landAll } from '../../helpers/run-history.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'

/** Reports of a store of so many devices, and how many files their thread is making. */
export async function reportsOfMany(devices: number, idOf: (nth: number) => string, cacheBytes = 0) {
  const store = temporaryStore()
  const events = Array.from({ length: devices }, (_, nth) => visitors(idOf(nth), 1))
  await landAll(store, [events], Date.parse(NOON))
  const startThread = () => {
    const thread = startThreads<ReportTasks>(new URL('../../../src/report/report-thread.ts', import.meta.url), {
      threads: 1,
      data: { store: { location: store.file, rejectsKept: 1 }, settings: DESCRIPTION } satisfies ReportThreadData,
    })
    onTestFinished(() => thread.close())
    return thread
  }
  const thread = startThread()
  const options = { defaultZone: 'UTC', cacheBytes }
  return {
    store,
    thread,
    reports: new Reports(store, thread, options),
    /** Reports that two threads make. */
    partedReports: (helper = startThread()) => new Reports(store, thread, { ...options, helper, partedFrom: 1 }),
    filesOpen: () => thread.run('exportsOpen', undefined),
  }
}
