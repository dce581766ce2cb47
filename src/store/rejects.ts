import type { Reason } from '../event/reasons.ts'

/** How many rejected events there are of each reason. */
export type RejectCounts = Record<string, number>

/** Which rejected events: at most `limit` of those with an id below `before`, of that reason, of these ids. */
export interface RejectFilter {
  limit: number
  before?: number | undefined
  reason?: string | undefined
  ids?: readonly number[] | undefined
}

/** A rejected event as it is kept: `raw` is its JSON text, cut where `rawBytes` (UTF-8) tells that it was longer. */
export interface Reject {
  id: number
  rejectedAt: number
  reason: Reason
  raw: string
  rawBytes: number
}

export interface RejectReads {
  /** Newest first. */
  page(filter: RejectFilter): Promise<Reject[]>
  /**
   * Rejected events, still kept, of a device with an `at` from `fromAt` up to before `toAt`; those without a readable
   * `at` by the time of their rejection.
   */
  countsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts>
}

/** The rejected events that are kept. */
export interface Rejects extends RejectReads {
  /** Takes rejected events out of those that are kept; ids that are not there are none. */
  delete(ids: readonly number[]): Promise<void>
}
