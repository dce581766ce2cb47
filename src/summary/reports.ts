import type { Store } from '../open-store.ts'
import type { Threads } from '../threads.ts'
import type { FleetAnswer, FleetTask } from './fleet-report.ts'
import { dailyEntries, type ReportContext, summaryEntries } from './report.ts'
import { ReportCache } from './report-cache.ts'
import { dailyJson, summaryJson } from './report-json.ts'
import type { ReportTasks } from './report-thread.ts'

/** Requests for more devices than this are answered by a thread, so that they hold up nobody else's. */
const SMALL_REQUEST_DEVICES = 64

/**
 * One report: local days as epoch days, the same for the report of one day; `ids` as in the request; `within` the
 * devices that the asker may see, null for all.
 */
export type ReportTask = FleetTask

export interface ReportsOptions {
  defaultZone: string
  /** Most bytes of answers that are kept; 0 for none. */
  cacheBytes: number
}

/** Answers of the two report operations as JSON text; large ones are made off the event loop, and kept. */
export class Reports {
  readonly #store: Store
  readonly #threads: Threads<ReportTasks>
  readonly #defaultZone: string
  readonly #cache: ReportCache

  constructor(store: Store, threads: Threads<ReportTasks>, { defaultZone, cacheBytes }: ReportsOptions) {
    this.#store = store
    this.#threads = threads
    this.#defaultZone = defaultZone
    this.#cache = new ReportCache(cacheBytes)
  }

  async daily(task: ReportTask): Promise<string | Uint8Array> {
    if (!isSmall(task)) return this.#large('daily', task)
    return dailyJson(task.fromDay, await dailyEntries(this.#context(task), task.fromDay, task.ids))
  }

  async summary(task: ReportTask): Promise<string | Uint8Array> {
    if (!isSmall(task)) return this.#large('summary', task)
    return summaryJson(await summaryEntries(this.#context(task), task, task.ids))
  }

  /** Reports of all devices are kept while neither a rollup nor the registry has changed anything. */
  async #large(name: 'daily' | 'summary', task: ReportTask): Promise<Uint8Array> {
    const make = (): Promise<FleetAnswer> => this.#threads.run(name, task)
    if (task.ids !== undefined || task.within !== null) return (await make()).bytes
    const { report, registry } = this.#store
    const version = `${await report.totalVersion()} ${await registry.version()}`
    return this.#cache.answer(`${name} ${task.fromDay} ${task.toDay}`, version, task.now, make)
  }

  #context({ now, within }: ReportTask): ReportContext {
    return { registry: this.#store.registry, report: this.#store.report, defaultZone: this.#defaultZone, now, within }
  }
}

const isSmall = ({ ids }: ReportTask): boolean => ids !== undefined && ids.length <= SMALL_REQUEST_DEVICES
