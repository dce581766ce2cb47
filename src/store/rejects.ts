import type { Reason } from '../event/reasons.ts'

/** Number of rejected events by reason. */
export type RejectCounts = Record<string, number>

/** Selects rejected events: at most `limit`, with an id below `before`, with this reason, with one of these ids. */
export interface RejectFilter {
  limit: number
  before?: number | undefined
  reason?: string | undefined
  ids?: readonly number[] | undefined
}

/** A stored rejected event; `raw` is its JSON text, truncated if `rawBytes` (its length in UTF-8) is larger. */
export interface Reject {
  id: number
  rejectedAt: number
  reason: Reason
  raw: string
  rawBytes: number
}

export interface RejectReads {
  /** Returns rejected events, newest first. */
  page(filter: RejectFilter): Promise<Reject[]>
  /** Counts all kept rejected events. */
  counts(): Promise<RejectCounts>
  /**
   * Counts the kept rejected events of a device with an `at` from `fromAt` up to before `toAt`; events without a
   * readable `at` count by the time of their rejection.
   */
  countsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts>
}

/** The rejected events that are kept. */
export interface Rejects extends RejectReads {
  /** Deletes rejected events; unknown ids are ignored. */
  delete(ids: readonly number[]): Promise<void>
}
