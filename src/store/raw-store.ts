import { millisecondsInDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import type { ImportNote } from '../event/import-note.ts'
import type { Placement } from '../event/placement.ts'

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
  rejects: readonly RejectToLand[]
  /** The import that all of it is of; null for none. */
  import: ImportNote | null
}

/** A rejected event: `deviceId` and `at` (epoch ms) where it has them, null where they could not be read. */
export interface RejectToLand {
  reason: string
  raw: string
  rawBytes: number
  deviceId: string | null
  at: number | null
}

/** A landed segment that no rollup has taken up yet. */
export interface DueSegment {
  id: number
  utcDay: number
}

/**
 * A device whose days from the one of `fromAt` to that of `toAt` must be computed again (epoch ms), and why; up to
 * END_OF_TIME where its days may have other bounds than those that are stored.
 */
export interface DueDevice {
  id: number
  device: number
  fromAt: number
  toAt: number
  /** See summary/revision.ts. */
  causes: readonly string[]
}

/** What one compacted body becomes: all events of a group of devices on one UTC day, sorted (see sortByDevice). */
export interface CompactedGroup {
  group: number
  /** The id of the body that it takes the place of; null where there was none. */
  replaces: number | null
  columns: EventColumns
}

/** One change by compaction: the segments go, their events are in the groups. */
export interface Compaction {
  shard: number
  utcDay: number
  segments: readonly number[]
  groups: readonly CompactedGroup[]
}

/**
 * Raw events are kept this much longer than late ones are taken: so that every local day that a late event may fall
 * into is whole. A local day may start that long before one of its events where a device moved across the date line.
 */
export const LONGEST_DAY_MS = 3 * millisecondsInDay

/** Events before this instant (epoch ms) come too late: raw events of their day may have been deleted. 0 for none. */
export const takenFrom = (purgedBefore: number): number => (purgedBefore === 0 ? 0 : purgedBefore + LONGEST_DAY_MS)

/** Raw events that cannot be read: a body of them is damaged. */
export interface DamagedEvents {
  utcDay: number
  /** How many there are. */
  events: number
  /** The group of devices (groupOf) that they are of; null where they may be of any device of the shard. */
  group: number | null
}

/** Which events of a UTC day are read. */
export interface DayAsked {
  /** These devices and some others; all unless given. */
  devices?: readonly number[]
  /** Only what has been rolled up. */
  rolledUp?: boolean
  /** Called for what cannot be read, which is left out then; without it such events are an error. */
  onDamaged?: (damage: DamagedEvents) => void
}

/** How much waits for a rollup. */
export interface DueCounts {
  /** Instant (epoch ms) of the oldest event that no rollup has taken up yet; null without one. */
  oldestDueAt: number | null
  /** Segments that no rollup has taken up yet. */
  dueSegments: number
  /** Entries for devices whose days must be computed again. */
  dueDevices: number
  /** UTC days before that of `now` that have such a segment: late events, or days not rolled up yet. */
  lateDays: number
}

/** How many rejected events there are of each reason. */
export type RejectCounts = Record<string, number>

export interface Counters {
  landed: number
  /** Landed events, placements too, that have been erased. */
  erased: number
  rejected: number
  /** Rejected events that were dropped again since more than the kept number came after them. */
  rejectsDropped: number
  rejectedByReason: Record<string, number>
}

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
  /**
   * Lands a group in one transaction: device numbers, placements, segments, rejects, counters, what is due.
   * `checkedFrom` is the bound (takenFrom) that the events were checked against; where it has moved past one of them
   * meanwhile, nothing lands and the group may be tried again.
   */
  land(group: LandingGroup, landedAt: number, checkedFrom?: number): Promise<void>
  /** Epoch ms: raw events before it have been deleted, and no day that starts before it is computed again. 0 for none. */
  purgedBefore(): Promise<number>
  dueSegments(shard: number): Promise<DueSegment[]>
  dueDevices(shard: number): Promise<DueDevice[]>
  /** Shards with anything due, ascending. */
  dueShards(): Promise<number[]>
  segments(ids: readonly number[]): Promise<EventColumns[]>
  /**
   * Events of a UTC day of a shard: of all its devices, or of these and of some others. Costs the reading of the whole
   * day where it has not been compacted, else of up to 16 devices for each one that is asked for. Segments are in the
   * order of their last events, so that the events of all, one segment behind the other, are nearly sorted.
   *
   * @throws CoolerError `store-damaged`
   */
  eventsOfDay(shard: number, utcDay: number, asked?: DayAsked): Promise<EventColumns[]>
  /** The first UTC day (epoch day) of a shard that has events, from `fromUtcDay` on; null for none. */
  nextDay(shard: number, fromUtcDay: number): Promise<number | null>
  /** The last UTC day (epoch day) of a shard that has events, up to `toUtcDay`; null for none. */
  lastDay(shard: number, toUtcDay: number): Promise<number | null>
  /** Segments of UTC days before one, all of them rolled up, that have not been compacted. */
  daysToCompact(beforeUtcDay: number): Promise<{ shard: number; utcDay: number }[]>
  /** The segments of a UTC day that no rollup has still to take up, in the order of their landing. */
  rolledUpSegments(shard: number, utcDay: number): Promise<{ id: number; columns: EventColumns }[]>
  compactedGroup(shard: number, utcDay: number, group: number): Promise<{ id: number; columns: EventColumns } | null>
  /** False, with nothing changed, where one of the segments or bodies is no longer there. */
  compact(compaction: Compaction): Promise<boolean>
  /**
   * Deletes the raw events of the earliest UTC day before `beforeUtcDay`, in one transaction with the bound that tells
   * so. Null where there is no such day, or where something that reaches back that far is still due.
   */
  pruneDay(beforeUtcDay: number): Promise<{ utcDay: number; events: number } | null>
  counters(): Promise<Counters>
  due(now: number): Promise<DueCounts>
  /** Rejected events, newest first. */
  rejects(filter: RejectFilter): Promise<Reject[]>
  /** Takes rejected events out of those that are kept; ids that are not there are none. */
  deleteRejects(ids: readonly number[]): Promise<void>
  /**
   * Rejected events, still kept, of a device with an `at` from `fromAt` up to before `toAt`; those without a readable
   * `at` by the time of their rejection.
   */
  rejectsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts>
}
