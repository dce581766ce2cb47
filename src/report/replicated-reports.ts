import { setTimeout as pause } from 'node:timers/promises'
import { CoolerError } from '../base/errors.ts'
import type { Encoding } from '../base/packed.ts'
import { isBefore } from '../store/report-version.ts'
import type { ExportStream } from './export/export-stream.ts'
import type { ChosenDevices, DeviceChoice } from './fleet/chosen-devices.ts'
import type { FleetList } from './fleet/fleet-list.ts'
import type { FleetMap } from './fleet/fleet-map.ts'
import type { FleetListTask } from './fleet/fleet-page.ts'
import type { FileTask, Reports, ReportTask } from './reports.ts'
import { requireSince } from './version-since.ts'

/** How long a replica that cannot be used is left alone. */
const PAUSE_MS = 5000
/** Longest wait for a replica that is behind what a caller has written. */
const PATIENCE_MS = 500
const POLL_MS = 25

/** What answers reports. */
export type ReportSource = Pick<
  Reports,
  'daily' | 'summary' | 'list' | 'map' | 'choose' | 'file' | 'fleetFile' | 'packed' | 'warm'
>

/** Reports that are read from replicas. */
export interface ReplicaReports {
  reports: Reports
  /** Returns the version of the replica; see RollupReads.reportVersion. */
  version(): Promise<string>
  close(): Promise<void>
}

export interface ReplicatedOptions {
  primary: Reports
  /** @throws CoolerError if the replica cannot be read, or belongs to another store */
  openReplica: () => Promise<ReplicaReports>
  /** Called when a replica can no longer be used, with the reason, and with null when it can be used again. */
  onChange: (reason: Error | null) => void
}

/**
 * Answers reports from replicas. The primary answers while the replicas cannot be read, and a caller who asks for a
 * state that they do not have soon.
 */
export class ReplicatedReports implements ReportSource {
  readonly #options: ReplicatedOptions
  #replica: Promise<ReplicaReports> | null = null
  #failedAt = Number.NEGATIVE_INFINITY
  #reason: Error | null = null

  constructor(options: ReplicatedOptions) {
    this.#options = options
  }

  daily(task: ReportTask): Promise<string | Uint8Array> {
    return this.#answer(task.since, (reports) => reports.daily(task))
  }

  summary(task: ReportTask): Promise<string | Uint8Array> {
    return this.#answer(task.since, (reports) => reports.summary(task))
  }

  file(file: FileTask): Promise<ExportStream> {
    return this.#answer(file.task.since, (reports) => reports.file(file))
  }

  fleetFile(file: Parameters<Reports['fleetFile']>[0]): Promise<ExportStream> {
    return this.#answer(undefined, (reports) => reports.fleetFile(file))
  }

  list(task: FleetListTask): Promise<FleetList> {
    return this.#answer(undefined, (reports) => reports.list(task))
  }

  map(task: FleetListTask): Promise<FleetMap> {
    return this.#answer(undefined, (reports) => reports.map(task))
  }

  choose(task: DeviceChoice): Promise<ChosenDevices> {
    return this.#answer(undefined, (reports) => reports.choose(task))
  }

  /** Returns a report compressed; its compressed form is kept with it, wherever it was read from. */
  async packed(report: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
    const replica = await this.#replica?.catch(() => null)
    return (replica?.reports ?? this.#options.primary).packed(report, encoding)
  }

  /** Prepares the replicas for large reports; see Reports.warm. */
  async warm(now: number): Promise<void> {
    const replica = await this.#usable().catch(() => null)
    await (replica?.reports ?? this.#options.primary).warm(now)
  }

  async close(): Promise<void> {
    const replica = await this.#replica?.catch(() => null)
    await replica?.close()
  }

  async #answer<Result>(since: string | undefined, make: (reports: Reports) => Promise<Result>): Promise<Result> {
    try {
      const replica = await this.#usable()
      if (replica !== null) {
        if (since !== undefined) await reach(replica, since)
        const answer = await make(replica.reports)
        this.#note(null)
        return answer
      }
    } catch (error) {
      if (!(error instanceof CoolerError)) throw error
      if (error.code !== 'store-behind') await this.#check(error)
    }
    return make(this.#options.primary)
  }

  /** Returns the replica, or null while it is left alone. @throws CoolerError if it cannot be opened */
  async #usable(): Promise<ReplicaReports | null> {
    if (performance.now() - this.#failedAt < PAUSE_MS) return null
    this.#replica ??= this.#options.openReplica().catch((error) => {
      this.#replica = null
      throw error
    })
    return this.#replica
  }

  /** Finds out whether an error is due to the replica, which is then left alone for a while. */
  async #check(error: CoolerError): Promise<void> {
    try {
      const replica = await this.#replica
      if (replica === null) throw error
      await replica.version()
    } catch {
      this.#note(error)
    }
  }

  #note(reason: Error | null): void {
    if (reason !== null) this.#failedAt = performance.now()
    if ((reason === null) !== (this.#reason === null)) this.#options.onChange(reason)
    this.#reason = reason
  }
}

/** Waits until a replica has reached a version, but not long. @throws CoolerError `store-behind` */
async function reach({ version }: ReplicaReports, since: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (isBefore(await version(), since) && performance.now() < until) await pause(POLL_MS)
  requireSince(await version(), since)
}
