import type { Store } from '../open-store.ts'
import type { Threads } from '../threads.ts'
import { dailyEntries, type ReportContext, summaryEntries } from './report.ts'
import { dailyJson, summaryJson } from './report-json.ts'
import type { ReportTask, ReportTasks } from './report-thread.ts'

/** Requests for more devices than this are answered by a thread, so that they hold up nobody else's. */
const SMALL_REQUEST_DEVICES = 64

/** Answers of the two report operations as JSON text; large ones are made off the event loop. */
export class Reports {
  readonly #store: Store
  readonly #threads: Threads<ReportTasks>
  readonly #defaultZone: string

  constructor(store: Store, threads: Threads<ReportTasks>, defaultZone: string) {
    this.#store = store
    this.#threads = threads
    this.#defaultZone = defaultZone
  }

  async daily(task: ReportTask): Promise<string | Uint8Array> {
    if (!isSmall(task)) return this.#threads.run('daily', task)
    return dailyJson(task.fromDay, await dailyEntries(this.#context(task), task.fromDay, task.ids))
  }

  async summary(task: ReportTask): Promise<string | Uint8Array> {
    if (!isSmall(task)) return this.#threads.run('summary', task)
    return summaryJson(await summaryEntries(this.#context(task), task, task.ids))
  }

  #context({ now, within }: ReportTask): ReportContext {
    return { registry: this.#store.registry, report: this.#store.report, defaultZone: this.#defaultZone, now, within }
  }
}

const isSmall = ({ ids }: ReportTask): boolean => ids !== undefined && ids.length <= SMALL_REQUEST_DEVICES
