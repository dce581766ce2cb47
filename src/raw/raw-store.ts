import type { EventColumns } from './event-columns.ts'
import type { Placement } from './placement.ts'

/** Beyond any instant: what is due has no end. */
export const END_OF_TIME = 8_640_000_000_000_000

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
  rejects: readonly { reason: string; raw: string; rawBytes: number }[]
}

/** A landed segment that no rollup has taken up yet. */
export interface DueSegment {
  id: number
  utcDay: number
}

/** A device whose days from the one of `fromAt` to that of `toAt` must be computed again (epoch ms). */
export interface DueDevice {
  id: number
  device: number
  fromAt: number
  toAt: number
}

/** How much waits for a rollup. */
export interface DueCounts {
  /** Segments that no rollup has taken up yet. */
  dueSegments: number
  /** Entries for devices whose days must be computed again. */
  dueDevices: number
  /** UTC days before that of `now` that have such a segment: late events, or days not rolled up yet. */
  lateDays: number
}

export interface Counters {
  landed: number
  rejected: number
  /** Rejected events that were dropped again since more than the kept number came after them. */
  rejectsDropped: number
  rejectedByReason: Record<string, number>
}

/** A rejected event as it is kept: `raw` is its JSON text, cut where `rawBytes` (UTF-8) tells that it was longer. */
export interface Reject {
  id: number
  rejectedAt: number
  reason: string
  raw: string
  rawBytes: number
}

/**
 * Raw events as columnar segments, and what became due by their landing (DESIGN.md 1, 4, 7). Engines: SQLite
 * (sqlite-raw-store.ts). All methods may reject with a retryable CoolerError where the engine is busy or full.
 */
export interface RawStore {
  /** Devices are split by number mod `shards`, fixed when the store was made. */
  readonly shards: number
  /** Lands a group in one transaction: device numbers, placements, segments, rejects, counters, what is due. */
  land(group: LandingGroup, landedAt: number): Promise<void>
  dueSegments(shard: number): Promise<DueSegment[]>
  dueDevices(shard: number): Promise<DueDevice[]>
  /** Shards with anything due, ascending. */
  dueShards(): Promise<number[]>
  segments(ids: readonly number[]): Promise<EventColumns[]>
  segmentsOfDay(shard: number, utcDay: number): Promise<EventColumns[]>
  /** UTC days (epoch days) of a shard that have segments, from `fromUtcDay` on, ascending. */
  daysWithSegments(shard: number, fromUtcDay: number): Promise<number[]>
  counters(): Promise<Counters>
  due(now: number): Promise<DueCounts>
  /** Rejected events, newest first, with an id below `beforeId`. */
  rejects(limit: number, beforeId?: number): Promise<Reject[]>
}
