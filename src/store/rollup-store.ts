import type { Block } from './codec/block-codec.ts'
import { BLOCK_DEVICES } from './codec/block-codec.ts'
import type { BlockBodies } from './codec/block-columns.ts'
import { closingOf, type DeviceDay, isOpen } from './device-day.ts'
import type { Cause, KeptRevision, Revision } from './revision.ts'

/** A block of a shard. */
export interface BlockPlace {
  shard: number
  block: number
}

/** Where a device's rollups lie: block and slot within its shard (device number mod `shards`). */
export interface Place extends BlockPlace {
  slot: number
}

/** Returns where the rollups of a device number lie. */
export function placeOf(device: number, shards: number): Place {
  const local = Math.floor(device / shards)
  return { shard: device % shards, block: Math.floor(local / BLOCK_DEVICES), slot: local % BLOCK_DEVICES }
}

/** Returns the device number whose rollups lie at a place. */
export const deviceAt = ({ shard, block, slot }: Place, shards: number): number =>
  (block * BLOCK_DEVICES + slot) * shards + shard

/** A stored fix: position in 1e-7 degree, instant in epoch ms, `seq` or NO_SEQ. */
export interface KeptFix {
  at: number
  seq: number
  lat: number
  lon: number
}

/** The current state of a device, independent of any day; rollups keep it up to date. */
export interface DeviceState {
  /** Instants of the first and the last event (placements aside), epoch ms. */
  firstHeardAt: number
  lastHeardAt: number
  firstFix: KeptFix | null
  lastFix: (KeptFix & { address: string | null }) | null
}

/** Latest fixes as columns, in any order of device numbers; positions in 1e-7 degree. */
export interface LastFixes {
  devices: Int32Array
  lat: Int32Array
  lon: Int32Array
  /** Addresses by device number, for fixes that have one. */
  addresses: ReadonlyMap<number, string>
}

/** One block row: the rollups of one block of a shard on one local day (epoch day). */
export interface BlockRow {
  block: number
  day: number
  body: Buffer
}

/** The sums of a block over a week; see week.ts. */
export interface WeekRow {
  week: number
  body: Buffer
}

/** A block row with all its stored columns; see the function `nextCloseAt`. */
export interface StoredBlockRow extends BlockRow {
  nextCloseAt: number | null
}

/** A device whose days from that of `fromAt` to that of `toAt` (epoch ms) are due. */
export interface FurtherDue {
  device: number
  fromAt: number
  toAt: number
  causes: readonly Cause[]
}

/** The changes that one rollup of a shard writes, all or nothing. */
export interface RollupCommit {
  shard: number
  /** The shard's version that this rollup has read; if it has changed since, nothing is written. */
  version: number
  /** Instant of the rollup, epoch ms. */
  now: number
  /** Changed slots: `null` removes a rollup. Keys: block, then day, then slot. */
  changes: Map<number, Map<number, Map<number, DeviceDay | null>>>
  states: Map<number, DeviceState>
  doneSegments: readonly number[]
  doneDevices: readonly number[]
  /** Devices whose days are still due after this rollup. */
  furtherDue: FurtherDue[]
  /** Settled device-days that this commit changes, in any order. */
  revisions: readonly Revision[]
  /** Device-days computed again because events were erased: their earlier revisions lose their figures. */
  erasedDays: { device: number; day: number }[]
}

/** Makes a commit that changes nothing yet. */
export function emptyCommit(shard: number, version: number, now: number): RollupCommit {
  return {
    shard,
    version,
    now,
    changes: new Map(),
    states: new Map(),
    doneSegments: [],
    doneDevices: [],
    furtherDue: [],
    revisions: [],
    erasedDays: [],
  }
}

/** The changes by which a verification repairs a shard, all or nothing; the next rollup does the rest. */
export interface Repair {
  shard: number
  /** The shard's version that the verification has read; if it has changed since, nothing is written. */
  version: number
  /** Epoch ms. */
  now: number
  /** Rows to remove because their body cannot be decoded. */
  unreadable: readonly { block: number; day: number }[]
  /** Sums to remove because they are not those of their days. */
  weeks: readonly { block: number; week: number }[]
  /** Slots of rows to rewrite: `null` removes a rollup. Keys: block, then day, then slot. */
  changes: Map<number, Map<number, Map<number, DeviceDay | null>>>
  /** Null removes the stored state. */
  states: Map<number, DeviceState | null>
  due: readonly FurtherDue[]
  revisions: readonly Revision[]
}

/** A change of the rules by which a store is rolled up; see rollup/rules.ts. */
export interface RulesChange {
  /** The rules that the store has now; null for none. */
  before: string | null
  text: string
  /** Epoch ms. */
  now: number
  /** Fingerprints of the clocks of the zones in use, by zone. */
  clocks: ReadonlyMap<string, number>
  /** Devices with a placement in these zones become due ('': without a zone, or without a placement); null for all. */
  zones: readonly string[] | null
}

export interface RollupReads {
  readonly shards: number
  /** Returns the shard's version, which rollups, repairs and erasures increment. */
  version(shard: number): Promise<number>
  /** Returns the version of all that a report may show; see report-version.ts. */
  reportVersion(): Promise<string>
  /** Returns when all due work was last completed (epoch ms) in a shard, or by default in any shard; null for never. */
  lastRollupAt(shard?: number): Promise<number | null>
  /** Returns the shards whose last rollup was after an instant (epoch ms). */
  shardsRolledUpAfter(instant: number): Promise<number[]>
  /** Returns the rules by which rollups are made, as set by `adoptRules`; null before that. */
  rules(): Promise<string | null>
  /** Returns the clocks of zones by which the rollups were made, as fingerprints. */
  zoneClocks(): Promise<Map<string, number>>
  /** Returns the revisions of a settled device-day, earliest first. */
  revisions(device: number, day: number): Promise<KeptRevision[]>
  /** Returns the local days from `fromDay` to `toDay` on which these devices have revisions, ascending, by device. */
  revisedDays(devices: readonly number[], fromDay: number, toDay: number): Promise<Map<number, number[]>>
  block(shard: number, block: number, day: number): Promise<Buffer | null>
  /** Returns the rows of one block from `fromDay` to `toDay`, ascending by day. */
  blocks(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockRow[]>
  /**
   * Passes to `take` bodies that add up to the rollups of these blocks and days, with the index of their block: the sums
   * of whole weeks where they are kept, and single days. They come in any order. Bodies of neighbouring days may be one
   * buffer, which is several times faster for long ranges.
   */
  eachBodies(
    blocks: readonly BlockPlace[],
    fromDay: number,
    toDay: number,
    take: (bodies: BlockBodies, nth: number) => void,
  ): Promise<void>
  /** Returns the kept sums of a block from one week to another, ascending. */
  weeks(shard: number, block: number, fromWeek: number, toWeek: number): Promise<WeekRow[]>
  /** Returns the weeks of a shard, by block, that end before a day (epoch day) and have rollups but no sums. */
  weeksToSum(shard: number, beforeDay: number): Promise<Map<number, number[]>>
  /** Returns the same rows with all their stored columns. */
  storedRows(shard: number, block: number, fromDay: number, toDay: number): Promise<StoredBlockRow[]>
  /** Returns the blocks of a shard that have a row but are not among the first `count`; ascending. */
  blocksBeyond(shard: number, count: number): Promise<number[]>
  /** Returns the block's row of the nearest stored day before (`-1`) or after (`1`) a day, or null. */
  neighbour(shard: number, block: number, day: number, direction: -1 | 1): Promise<BlockRow | null>
  /** Returns the days with a row of the block, ascending. */
  daysOfBlock(shard: number, block: number): Promise<number[]>
  /** Returns all rows of a shard from `fromDay` to `toDay`. */
  blocksOfShard(shard: number, fromDay: number, toDay: number): Promise<BlockRow[]>
  /** Returns the rows of a shard with a day that was open at its rollup and closes by `until` (epoch ms). */
  openBlocks(shard: number, until: number): Promise<BlockRow[]>
  /** Returns the shards with rows that `openBlocks` returns. */
  openShards(until: number): Promise<number[]>
  /**
   * Returns the states of devices. Reports each device whose state is damaged to `onDamaged`, and leaves it out.
   *
   * @throws CoolerError `store-damaged` without `onDamaged`
   */
  states(devices: readonly number[], onDamaged?: (device: number) => void): Promise<Map<number, DeviceState>>
  /** Returns the latest fixes of all devices that have one. */
  lastFixes(): Promise<LastFixes>
}

/** Stores rollups by device and local day, and the current states of devices. */
export interface RollupStore extends RollupReads {
  /**
   * Notes in all shards, also in those without due work, that nothing is due as of an instant (epoch ms). Keeps a later
   * instant of a shard, unless it is after `latest`: then a clock was ahead.
   */
  noteRolledUp(now: number, latest: number): Promise<void>
  /** Sets the rules and writes what becomes due; returns false and writes nothing if the old ones are not `before`. */
  adoptRules(change: RulesChange): Promise<boolean>
  /** Adds clocks of zones that have none yet; does nothing if the store's rules are not `rules`. */
  noteZoneClocks(rules: string, clocks: ReadonlyMap<string, number>): Promise<void>
  /** Returns false and writes nothing if the shard's version is no longer `commit.version`. */
  commit(commit: RollupCommit): Promise<boolean>
  /**
   * Keeps the sums of these weeks of a block; returns false and writes nothing if a rollup commits meanwhile.
   *
   * @throws CoolerError `store-damaged`
   */
  sumWeeks(shard: number, block: number, weeks: readonly number[]): Promise<boolean>
  /** Returns false and writes nothing if the shard's version is no longer `repair.version`. */
  repair(repair: Repair): Promise<boolean>
}

/** Returns the earliest closing (epoch ms) of those days of a block that were open when rolled up; null for none. */
export function nextCloseAt(block: Block): number | null {
  let next: number | null = null
  for (const day of block) if (day !== null && isOpen(day)) next = Math.min(next ?? Infinity, closingOf(day))
  return next
}
