import type { EventType } from '../event/fields.ts'
import type { RollupRoles } from '../rollup/rollup-request.ts'
import type { ErasedRest, EraseStore, EraseTarget, ShardDay } from '../store/erase-store.ts'

/**
 * A request to erase events of a device from `fromAt` up to before `toAt` (epoch ms), of one type or (null) of all
 * types except placements; or to erase everything that only the import with that id has landed.
 */
export type EraseRequest = { device: string; fromAt: number; toAt: number; type: EventType | null } | { import: string }

/** The amounts that were erased or, in a dry run, would be. */
export interface Erased extends ErasedRest {
  /** Events, placements included. */
  erased: number
  /** Erased events by type; types without any are left out. */
  byType: Partial<Record<EventType, number>>
  /** Placements that begin within the span but are not erased by the request. */
  placementsLeft: number
  /** UTC days (YYYYMMDD) of an import whose events were deleted for their age, or soon will be. Their figures stay. */
  purgedDays: { from: number; to: number } | null
  /** Whether no copy is left in the write-ahead log; null in a dry run. */
  logEmptied: boolean | null
}

/** A request that has been looked up: the target to erase, and the days that may hold its events. */
export interface Erasing {
  target: EraseTarget
  request: EraseRequest
  days: readonly ShardDay[]
  /** Epoch ms; see ArchiveReads.purgedBefore. */
  purgedBefore: number
  purgedDays: Erased['purgedDays']
}

export interface DayTask {
  erasing: Erasing
  day: ShardDay
  dryRun: boolean
}

export interface RestTask {
  erasing: Erasing
  dryRun: boolean
  /** Epoch ms. */
  now: number
}

/** The steps of an erasure. Each step is complete in itself; the steps may run on a thread. */
export interface EraseSteps {
  /** @throws CoolerError `not-found` for an unknown device or import; `raw-purged` */
  begin(request: EraseRequest): Promise<Erasing>
  /** Erases from one day; returns how many events of each type. @throws CoolerError `raw-purged`, `store-busy` */
  day(task: DayTask): Promise<Erased['byType']>
  rest(task: RestTask): Promise<ErasedRest & Pick<Erased, 'placementsLeft'>>
  /** Overwrites freed pages; returns whether the write-ahead log is empty. */
  overwrite(): Promise<boolean | null>
}

export type EraseStores = RollupRoles & { erasure: EraseStore }
