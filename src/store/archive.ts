import { millisecondsInDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'

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

/** Is told the id of a segment that is damaged, and the error `store-damaged`. */
export type OnDamagedSegment = (id: number, error: unknown) => void

export interface ArchiveReads {
  /** Devices are split by number mod `shards`, fixed when the store was made. */
  readonly shards: number
  /** Epoch ms: raw events before it have been deleted, and no day that starts before it is computed again. 0 for none. */
  purgedBefore(): Promise<number>
  /**
   * The events of segments by their ids; damaged ones are told to `onDamaged` and left out (see readSegments for many).
   *
   * @throws CoolerError `store-damaged` without `onDamaged`
   */
  segments(ids: readonly number[], onDamaged?: OnDamagedSegment): Promise<Map<number, EventColumns>>
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
}

/** Raw events by shard and UTC day: as columnar segments, and compacted once they have been rolled up (DESIGN.md 1, 4, 7). */
export interface Archive extends ArchiveReads {
  /** False, with nothing changed, where one of the segments or bodies is no longer there. */
  compact(compaction: Compaction): Promise<boolean>
  /**
   * Deletes the raw events of the earliest UTC day before `beforeUtcDay`, in one transaction with the bound that tells
   * so. Null where there is no such day, or where something that reaches back that far is still due.
   */
  pruneDay(beforeUtcDay: number): Promise<{ utcDay: number; events: number } | null>
}
