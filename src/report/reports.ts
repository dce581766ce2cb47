import { isWithin } from '../base/device-limit.ts'
import type { Encoding } from '../base/packed.ts'
import type { Threads } from '../base/threads.ts'
import { utcDayOf } from '../base/time.ts'
import type { Store } from '../store/open-store.ts'
import type { StoreView } from '../store/view.ts'
import type { ExportTask } from './export/export-sessions.ts'
import { ExportStream } from './export/export-stream.ts'
import { FilePlaces } from './export/file-places.ts'
import type { FleetFileTask } from './export/fleet-file.ts'
import type { ChosenDevices, DeviceChoice } from './fleet/chosen-devices.ts'
import type { FleetList } from './fleet/fleet-list.ts'
import type { FleetMap } from './fleet/fleet-map.ts'
import type { FleetListTask } from './fleet/fleet-page.ts'
import type { FleetTask } from './fleet/fleet-report.ts'
import type { ReportName } from './fleet/report-parts.ts'
import { dailyEntries, MOST_DAYS, type ReportContext, summaryOf } from './report.ts'
import { type Answer, ReportCache } from './report-cache.ts'
import { dailyJson, summaryJson } from './report-json.ts'
import type { ReportTasks } from './report-thread.ts'
import { requireSince, versionSince } from './version-since.ts'

/** Requests for more devices than this are answered by a thread, so that they do not delay other requests. */
const SMALL_REQUEST_DEVICES = 64

/** From so many device-days on, two threads make a report. For fewer, asking two costs what it gains. */
const PARTED_DEVICE_DAYS = 50_000

/** How often two threads try to read the same state of the store before one of them makes the report alone. */
const PARTED_TRIES = 2

/** How often the report of a day is made in advance, until the compiler has done its work on it. */
const WARM_ROUNDS = 2

/**
 * A report to make. The local days are epoch days, equal for the report of one day; `ids` is as in the request;
 * `within` holds the devices that the caller may see, null for all.
 */
export type ReportTask = FleetTask

/** A report as a file: see ExportTask. */
export type FileTask = Omit<ExportTask, 'json'> & {
  /** Identifies the caller, if callers are to be told apart. */
  who?: string
}

/** A report of a few devices. The caller may see all of them. */
type SmallTask = ReportTask & { ids: readonly string[] }

export interface ReportsOptions {
  defaultZone: string
  /** Most bytes of answers that are kept; 0 for none. */
  cacheBytes: number
  /** Another thread, which makes a half of each report of very many devices. */
  helper?: Threads<ReportTasks> | null
  /** From so many device-days on, it does so; PARTED_DEVICE_DAYS unless set. */
  partedFrom?: number
}

/** Answers the two report operations with JSON text. Large reports are made off the event loop, and kept. */
export class Reports {
  readonly #store: Store
  readonly #threads: Threads<ReportTasks>
  readonly #helper: Threads<ReportTasks> | null
  readonly #partedFrom: number
  readonly #defaultZone: string
  readonly #cache: ReportCache
  #versionOfTurn: Promise<string> | null = null
  readonly #places = new FilePlaces()

  /** @param threads one thread, which makes large reports and files. */
  constructor(store: Store, threads: Threads<ReportTasks>, { defaultZone, cacheBytes, ...parted }: ReportsOptions) {
    this.#store = store
    this.#threads = threads
    this.#helper = parted.helper ?? null
    this.#partedFrom = parted.partedFrom ?? PARTED_DEVICE_DAYS
    this.#defaultZone = defaultZone
    this.#cache = new ReportCache(cacheBytes)
  }

  daily(task: ReportTask): Promise<string | Uint8Array> {
    return this.#kept('daily', task, async (small) => {
      return this.#store.snapshot(async (view) => {
        const version = await versionSince(view.rollups, small)
        const entries = await dailyEntries(this.#context(view, small), small.fromDay, small.ids)
        return { bytes: dailyJson(small.fromDay, entries), until: Infinity, version }
      })
    })
  }

  summary(task: ReportTask): Promise<string | Uint8Array> {
    return this.#kept('summary', task, async (small) => {
      return this.#store.snapshot(async (view) => {
        const version = await versionSince(view.rollups, small)
        const { entries, until } = await summaryOf(this.#context(view, small), small, small.ids)
        return { bytes: summaryJson(entries), until, version }
      })
    })
  }

  /**
   * Prepares for large reports, so that the first one takes no longer than others. Reads the fleet, on a thread. Never
   * rejects: what is wrong with the store is for a report to say.
   */
  async warm(now: number): Promise<void> {
    const day = { fromDay: utcDayOf(now), toDay: utcDayOf(now), within: null, now }
    try {
      for (let round = 0; round < WARM_ROUNDS; round++) await this.#many('daily', day)
      await this.#many('summary', { ...day, fromDay: day.toDay - MOST_DAYS + 1 })
    } catch {
      // As said above.
    }
  }

  /**
   * Returns either report as a file, made by a thread as it is read. If you do not read it all, destroy the stream.
   *
   * @throws CoolerError `store-busy` if too many are being made
   */
  async file({ who, ...file }: FileTask): Promise<ExportStream> {
    const { name, task } = file
    const isSmall = task.ids !== undefined && task.ids.length <= SMALL_REQUEST_DEVICES
    const leave = isSmall ? () => {} : this.#places.take(who)
    return this.#stream(leave, async () => {
      const json = isSmall ? String(await this[name](task)) : undefined
      return this.#threads.run('exportBegin', json === undefined ? file : { ...file, json })
    })
  }

  /**
   * Returns all devices of a list of the fleet as a file, as `file` does; `offset` and `limit` have no effect.
   *
   * @throws CoolerError `store-busy` if too many are being made
   */
  fleetFile({ who, ...file }: FleetFileTask & Pick<FileTask, 'who'>): Promise<ExportStream> {
    return this.#stream(this.#places.take(who), () => this.#threads.run('exportFleet', file))
  }

  async #stream(leave: () => void, begin: () => Promise<number>): Promise<ExportStream> {
    try {
      return new ExportStream(this.#threads, await begin(), leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Returns a page of a list of the fleet. */
  list(task: FleetListTask): Promise<FleetList> {
    return this.#threads.run('list', task)
  }

  /** Returns where the devices of a fleet are meant to stand. */
  map(task: FleetListTask): Promise<FleetMap> {
    return this.#threads.run('map', task)
  }

  /** Returns which devices a selection is, and whether their days are settled. */
  choose(task: DeviceChoice): Promise<ChosenDevices> {
    return this.#threads.run('choose', task)
  }

  /** Returns a report of `daily` or `summary` compressed; the compressed form of a kept report is kept with it. */
  packed(report: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
    return this.#cache.packed(report, encoding)
  }

  /**
   * Answers a report. Reports of all devices, and of a few, are kept until a rollup or the registry changes something.
   * Other selections vary too much to be asked for twice.
   */
  async #kept(
    name: ReportName,
    task: ReportTask,
    make: (task: SmallTask) => Promise<Answer>,
  ): Promise<string | Uint8Array> {
    const { fromDay, toDay, within, now } = task
    const ids = smallIds(task)
    if (ids === null && (task.ids !== undefined || within !== null)) return (await this.#many(name, task)).bytes
    const devices = ids === null ? 'all' : JSON.stringify(ids)
    const version = await this.#version()
    requireSince(version, task.since)
    return this.#cache.answer(`${name} ${fromDay} ${toDay} ${devices}`, version, now, () =>
      ids === null ? this.#many(name, task) : make({ ...task, ids }),
    )
  }

  /** Makes a report of many devices on the thread; of very many, on both threads at once. */
  async #many(name: ReportName, task: ReportTask): Promise<Answer> {
    const helper = this.#helper
    const days = task.toDay - task.fromDay + 1
    if (helper === null || (await this.#store.registry.count()) * days < this.#partedFrom) {
      return this.#threads.run(name, task)
    }
    for (let tries = 0; tries < PARTED_TRIES; tries++) {
      const parts = await Promise.all(
        [this.#threads, helper].map((thread, nth) => thread.run('part', { name, task, part: { nth, of: 2 } })),
      )
      if (parts[0].version !== parts[1].version) continue // A rollup has committed between the two reads.
      const moved = parts.map(({ bytes }) => bytes.buffer as ArrayBuffer)
      return this.#threads.run('joinParts', { name, task, parts }, moved)
    }
    return this.#threads.run(name, task)
  }

  /** Reads the version once per turn of the event loop: no request of this turn had come when the last turn ended. */
  #version(): Promise<string> {
    if (this.#versionOfTurn === null) {
      this.#versionOfTurn = this.#store.rollups.reportVersion()
      setImmediate(() => {
        this.#versionOfTurn = null
      })
    }
    return this.#versionOfTurn
  }

  #context({ registry, rollups }: StoreView, { now }: ReportTask): ReportContext {
    return { registry, rollups, defaultZone: this.#defaultZone, now }
  }
}

/** Returns the ids, of a request for few devices, that the caller may see; null if it is for many or for all. */
function smallIds({ ids, within }: ReportTask): string[] | null {
  const seen = ids?.filter((id) => isWithin(within, id))
  return seen !== undefined && seen.length <= SMALL_REQUEST_DEVICES ? seen : null
}
