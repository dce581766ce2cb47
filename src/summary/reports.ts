import type { Readable } from 'node:stream'
import { isWithin } from '../device-limit.ts'
import { CoolerError } from '../errors.ts'
import type { Store } from '../open-store.ts'
import type { Threads } from '../threads.ts'
import type { ExportTask } from './export/export-sessions.ts'
import { ExportStream } from './export/export-stream.ts'
import type { FleetTask } from './fleet-report.ts'
import { dailyEntries, type ReportContext, summaryOf } from './report.ts'
import { type Answer, ReportCache } from './report-cache.ts'
import { dailyJson, summaryJson } from './report-json.ts'
import type { ReportTasks } from './report-thread.ts'

/** Requests for more devices than this are answered by a thread, so that they hold up nobody else's. */
const SMALL_REQUEST_DEVICES = 64

/** Files of many devices that are made at once: the report of each is in memory until its file has been taken. */
const MOST_FILES = 8

/**
 * One report: local days as epoch days, the same for the report of one day; `ids` as in the request; `within` the
 * devices that the asker may see, null for all.
 */
export type ReportTask = FleetTask

/** A report as a file: see ExportTask. */
export type FileTask = Omit<ExportTask, 'json'>

/** One of few devices, all of which the asker may see. */
type SmallTask = ReportTask & { ids: readonly string[] }

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
  #versionOfTurn: Promise<string> | null = null
  #files = 0

  constructor(store: Store, threads: Threads<ReportTasks>, { defaultZone, cacheBytes }: ReportsOptions) {
    this.#store = store
    this.#threads = threads
    this.#defaultZone = defaultZone
    this.#cache = new ReportCache(cacheBytes)
  }

  daily(task: ReportTask): Promise<string | Uint8Array> {
    return this.#kept('daily', task, async (small) => {
      const entries = await this.#store.snapshot(() => dailyEntries(this.#context(small), small.fromDay, small.ids))
      return { bytes: dailyJson(small.fromDay, entries), until: Infinity }
    })
  }

  summary(task: ReportTask): Promise<string | Uint8Array> {
    return this.#kept('summary', task, async (small) => {
      const { entries, until } = await this.#store.snapshot(() => summaryOf(this.#context(small), small, small.ids))
      return { bytes: summaryJson(entries), until }
    })
  }

  /**
   * Either report as a file, made by a thread as it is taken. Whoever does not take all of it must destroy the stream.
   *
   * @throws CoolerError `store-busy` where too many are being made
   */
  async file(file: FileTask): Promise<Readable> {
    const { name, task } = file
    const isSmall = task.ids !== undefined && task.ids.length <= SMALL_REQUEST_DEVICES
    if (!isSmall && this.#files >= MOST_FILES) {
      throw new CoolerError('store-busy', `${MOST_FILES} files of many devices are being made: try again`)
    }
    const places = isSmall ? 0 : 1
    this.#files += places
    try {
      const json = isSmall ? String(await this[name](task)) : undefined
      const session = await this.#threads.run('exportBegin', json === undefined ? file : { ...file, json })
      return new ExportStream(this.#threads, session, () => {
        this.#files -= places
      })
    } catch (error) {
      this.#files -= places
      throw error
    }
  }

  /**
   * Reports of all devices, and of a few, are kept while neither a rollup nor the registry has changed anything; of what
   * lies between there are too many for one to be asked for twice.
   */
  async #kept(
    name: 'daily' | 'summary',
    task: ReportTask,
    make: (task: SmallTask) => Promise<Answer>,
  ): Promise<string | Uint8Array> {
    const { fromDay, toDay, within, now } = task
    const ids = smallIds(task)
    if (ids === null && (task.ids !== undefined || within !== null)) return (await this.#threads.run(name, task)).bytes
    const devices = ids === null ? 'all' : JSON.stringify(ids)
    return this.#cache.answer(`${name} ${fromDay} ${toDay} ${devices}`, await this.#version(), now, () =>
      ids === null ? this.#threads.run(name, task) : make({ ...task, ids }),
    )
  }

  /** Asked once for all requests of one turn of the event loop: none of them had come when the one before it ended. */
  #version(): Promise<string> {
    if (this.#versionOfTurn === null) {
      this.#versionOfTurn = this.#store.report.reportVersion()
      setImmediate(() => {
        this.#versionOfTurn = null
      })
    }
    return this.#versionOfTurn
  }

  #context({ now }: ReportTask): ReportContext {
    return { registry: this.#store.registry, report: this.#store.report, defaultZone: this.#defaultZone, now }
  }
}

/** The ids of a request for few devices that the asker may see; null where it is for many. */
function smallIds({ ids, within }: ReportTask): string[] | null {
  const seen = ids?.filter((id) => isWithin(within, id))
  return seen !== undefined && seen.length <= SMALL_REQUEST_DEVICES ? seen : null
}
