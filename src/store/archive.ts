import type { Arena } from '../base/arena.ts'
import { millisecondsInDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import type { DueSegment } from './due.ts'

/** One compacted body: all events of a group of devices on one UTC day, sorted (see sortByDevice). */
export interface CompactedGroup {
  group: number
  /** The id of the body that it replaces; null for none. */
  replaces: number | null
  columns: EventColumns
}

/** One compaction: deletes the segments and writes their events as compacted groups. */
export interface Compaction {
  shard: number
  utcDay: number
  segments: readonly number[]
  groups: readonly CompactedGroup[]
}

/**
 * How much longer raw events are kept than late events are accepted, so that every local day that a late event may fall
 * into is complete. A local day may start this long before one of its events if the device crossed the date line.
 */
export const LONGEST_DAY_MS = 3 * millisecondsInDay

/** Returns the instant (epoch ms) before which events come too late, as raw events may be deleted; 0 for none. */
export const takenFrom = (purgedBefore: number): number => (purgedBefore === 0 ? 0 : purgedBefore + LONGEST_DAY_MS)

/** Raw events that cannot be read because their stored body is damaged. */
export interface DamagedEvents {
  utcDay: number
  /** Number of events in the body. */
  events: number
  /** The group of devices (groupOf) of the events; null if they may belong to any device of the shard. */
  group: number | null
}

/** Selects the events of a UTC day to read. */
export interface DayAsked {
  /** Reads these devices and some others; all devices unless given. */
  devices?: readonly number[]
  /** Reads only events that have been rolled up, or only those in segments that are due; all events unless set. */
  which?: 'rolled-up' | 'due' | undefined
  /** Called for each damaged body, which is then left out; without it, damage is an error. */
  onDamaged?: (damage: DamagedEvents) => void
  /** Segments that the caller has read in this snapshot, by id; they are not read again. */
  known?: ReadonlyMap<number, EventColumns>
  /** Memory for the events; fresh memory unless given. */
  arena?: Arena | undefined
}

/** Options for reading segments. */
export interface SegmentsAsked extends Pick<DayAsked, 'arena'> {
  /** Called for each damaged segment, which is then left out; without it, damage is an error. */
  onDamaged?: OnDamagedSegment
}

/** Receives the id of a damaged segment and the error `store-damaged`. */
export type OnDamagedSegment = (id: number, error: unknown) => void

/** A compacted body of a device group. */
export interface CompactedBody {
  id: number
  columns: EventColumns
}

export interface ArchiveReads {
  /** Devices are split by number mod `shards`, fixed when the store was made. */
  readonly shards: number
  /** Epoch ms: raw events before it have been deleted, and days that start before it stay as they are. 0 for none. */
  purgedBefore(): Promise<number>
  /**
   * Returns the events of segments of a shard by id (see readSegments for many).
   *
   * @throws CoolerError `store-damaged` without `onDamaged`
   */
  segments(shard: number, segments: readonly DueSegment[], asked?: SegmentsAsked): Promise<Map<number, EventColumns>>
  /**
   * Returns the events of a shard on one UTC day: of all devices, or of the given ones and some others. Costs reading
   * the whole day if it is not compacted, otherwise up to 16 devices for each device asked for. Segments are ordered by
   * their last events, so that their events, concatenated, are nearly sorted.
   *
   * @throws CoolerError `store-damaged`
   */
  eventsOfDay(shard: number, utcDay: number, asked?: DayAsked): Promise<EventColumns[]>
  /** Returns the first UTC day (epoch day) of a shard with events, from `fromUtcDay` on; null for none. */
  nextDay(shard: number, fromUtcDay: number): Promise<number | null>
  /** Returns the last UTC day (epoch day) of a shard with events, up to `toUtcDay`; null for none. */
  lastDay(shard: number, toUtcDay: number): Promise<number | null>
  /** Returns the UTC days before `beforeUtcDay`, of all shards or of one, that have rolled-up segments to compact. */
  daysToCompact(beforeUtcDay: number, shard?: number): Promise<{ shard: number; utcDay: number }[]>
  /** Returns the segments of a UTC day that have been rolled up, ordered by their last events. */
  rolledUpSegments(shard: number, utcDay: number): Promise<{ id: number; columns: EventColumns }[]>
  /** Returns the compacted bodies of a UTC day among those of these groups, by group. */
  compactedGroups(shard: number, utcDay: number, groups: readonly number[]): Promise<Map<number, CompactedBody>>
}

/** Stores raw events by shard and UTC day: as columnar segments, compacted after the rollup (DESIGN.md 1, 4, 7). */
export interface Archive extends ArchiveReads {
  /** Makes room for the events and rollups of a UTC day and the week after it, so that no landing has to. */
  prepareDays(utcDay: number): Promise<void>
  /** Returns false and changes nothing if a segment or body was removed or replaced meanwhile. */
  compact(compaction: Compaction): Promise<boolean>
  /**
   * Deletes the raw events of the earliest UTC day before `beforeUtcDay`, and moves `purgedBefore` past it in the same
   * transaction. Returns null if there is no such day, or if anything still due reaches back that far.
   */
  pruneDay(beforeUtcDay: number): Promise<{ utcDay: number; events: number } | null>
}
