import type { ImportNote } from '../event/import-note.ts'
import type { Placement } from '../event/placement.ts'
import type { Reason } from '../event/reasons.ts'

/** Checked events that land together, durably or not at all. Columns as in event-columns.ts, but `at` in epoch ms. */
export interface LandingGroup {
  /** Asset identifiers; `device` of events and placements is an index into them. Only those used are registered. */
  ids: readonly string[]
  count: number
  device: Int32Array
  at: Float64Array
  kind: Uint8Array
  a: Int32Array
  b: Int32Array
  seq: Float64Array
  addresses: ReadonlyMap<number, string>
  placements: readonly (Placement & { device: number })[]
  rejects: readonly RejectToLand[]
  /** The import that the whole group belongs to; null for none. */
  import: ImportNote | null
}

/** A rejected event; `deviceId` and `at` (epoch ms) are null where they could not be read. */
export interface RejectToLand {
  reason: Reason
  raw: string
  rawBytes: number
  deviceId: string | null
  at: number | null
}

/** Totals of events since the store was made. */
export interface Counters {
  landed: number
  /** Landed events, placements included, that have been erased. */
  erased: number
  rejected: number
  /** Rejected events that were dropped because more than the kept number came after them. */
  rejectsDropped: number
  rejectedByReason: Record<string, number>
}

export interface LandingReads {
  counters(): Promise<Counters>
}

/** Writes checked events to the store. */
export interface Landing extends LandingReads {
  /**
   * Lands a group in one transaction: device numbers, placements, segments, rejects, counters, due work. `checkedFrom`
   * is the bound (takenFrom) that the events were checked against. If the bound has since moved past one of them,
   * nothing lands and the group may be tried again.
   *
   * @throws CoolerError `store-busy`, `store-full`
   */
  land(group: LandingGroup, landedAt: number, checkedFrom?: number): Promise<void>
}
