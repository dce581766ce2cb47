import type { Block } from './codec/block-codec.ts'
import { BLOCK_DEVICES } from './codec/block-codec.ts'
import type { BlockBodies } from './codec/block-columns.ts'
import type { DeviceDay } from './device-day.ts'
import type { Cause, KeptRevision, Revision } from './revision.ts'

/** Where a device's rollups lie: block and slot within its shard (device number mod `shards`). */
export interface Place {
  shard: number
  block: number
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

/** A fix in the order of events: position in 1e-7 degree, instant in epoch ms, `seq` or NO_SEQ. */
export interface KeptFix {
  at: number
  seq: number
  lat: number
  lon: number
}

/** What is current of a device, whatever the day: kept by the rollups. */
export interface DeviceState {
  /** Instants of the first and the last event (placements aside), epoch ms. */
  firstHeardAt: number
  lastHeardAt: number
  firstFix: KeptFix | null
  lastFix: (KeptFix & { address: string | null }) | null
}

/** Latest fixes as columns, by device numbers in any order; positions in 1e-7 degree. */
export interface LastFixes {
  devices: Int32Array
  lat: Int32Array
  lon: Int32Array
  /** By device number, where the fix had one. */
  addresses: ReadonlyMap<number, string>
}

/** One block row: the rollups of one block of a shard on one local day (epoch day). */
export interface BlockRow {
  block: number
  day: number
  body: Buffer
}

/** A block row with all that is stored of it; `nextCloseAt` as the function of that name gives it. */
export interface StoredBlockRow extends BlockRow {
  nextCloseAt: number | null
}

/** A device whose days from the one of `fromAt` to that of `toAt` (epoch ms) are due. */
export interface FurtherDue {
  device: number
  fromAt: number
  toAt: number
  causes: readonly Cause[]
}

/** What one rollup of a shard writes, all of it or nothing. */
export interface RollupCommit {
  shard: number
  /** The shard's version from which this rollup read; where another has committed since, nothing is written. */
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
  /** Settled device-days that change by this, in any order. */
  revisions: readonly Revision[]
  /** Device-days that were computed again since events were erased: earlier revisions of them lose their figures. */
  erasedDays: { device: number; day: number }[]
}

/** A rollup that has nothing to write yet. */
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

/** What a verification takes back or puts right of a shard, all of it or nothing; the next rollup does the rest. */
export interface Repair {
  shard: number
  /** The shard's version from which the verification read; where another has committed since, nothing is written. */
  version: number
  /** Epoch ms. */
  now: number
  /** Rows whose body cannot be decoded: they are removed. */
  unreadable: readonly { block: number; day: number }[]
  /** Slots of rows that are written anew; null removes one. Keys: block, then day, then slot. */
  changes: Map<number, Map<number, Map<number, DeviceDay | null>>>
  /** Null removes what is stored. */
  states: Map<number, DeviceState | null>
  due: readonly FurtherDue[]
  revisions: readonly Revision[]
}

/** A change of the rules by which a store is rolled up; see rollup/rules.ts. */
export interface RulesChange {
  /** The rules that the store has, null for none. */
  before: string | null
  text: string
  /** Epoch ms. */
  now: number
  /** By zone in use: a fingerprint of its clock. */
  clocks: ReadonlyMap<string, number>
  /** Devices with a placement in these zones become due ('': without a zone, or without a placement); null for all. */
  zones: readonly string[] | null
}

export interface RollupReads {
  readonly shards: number
  /** Counts the rollups committed for a shard. */
  version(shard: number): Promise<number>
  /** Another text whenever a rollup, or the registry, has changed anything that a report may tell. */
  reportVersion(): Promise<string>
  /** As of when all that was due had been computed, epoch ms, or null; of any shard, or of one. */
  lastRollupAt(shard?: number): Promise<number | null>
  /** Shards whose last rollup was after an instant (epoch ms). */
  shardsRolledUpAfter(instant: number): Promise<number[]>
  /** The rules that the rollups are made by, as `adoptRules` was told; null before. */
  rules(): Promise<string | null>
  /** The clocks of zones by which the rollups were made, as fingerprints. */
  zoneClocks(): Promise<Map<string, number>>
  /** What a settled device-day was before it changed, earliest change first. */
  revisions(device: number, day: number): Promise<KeptRevision[]>
  block(shard: number, block: number, day: number): Promise<Buffer | null>
  /** Rows of one block from `fromDay` to `toDay`, ascending by day. */
  blocks(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockRow[]>
  /** The bodies of these rows, one behind the other: what is many is read several times as fast so. */
  bodies(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockBodies>
  /** The same rows with all that is stored of them. */
  storedRows(shard: number, block: number, fromDay: number, toDay: number): Promise<StoredBlockRow[]>
  /** Blocks of a shard that have a row, but are none of the first `count`; ascending. */
  blocksBeyond(shard: number, count: number): Promise<number[]>
  /** The nearest day with a row of the block before (`-1`) or after (`1`) a day; null where there is none. */
  neighbour(shard: number, block: number, day: number, direction: -1 | 1): Promise<BlockRow | null>
  /** Days with a row of the block, ascending. */
  daysOfBlock(shard: number, block: number): Promise<number[]>
  /** All rows of a shard from `fromDay` to `toDay`. */
  blocksOfShard(shard: number, fromDay: number, toDay: number): Promise<BlockRow[]>
  /** Rows of a shard with a day that had not closed when it was rolled up and that closes by `until` (epoch ms). */
  openBlocks(shard: number, until: number): Promise<BlockRow[]>
  /** Shards with such rows. */
  openShards(until: number): Promise<number[]>
  /**
   * Calls `onDamaged` for each device whose state is damaged, and leaves it out.
   *
   * @throws CoolerError `store-damaged` without `onDamaged`
   */
  states(devices: readonly number[], onDamaged?: (device: number) => void): Promise<Map<number, DeviceState>>
  /** The latest fixes of all devices that have one. */
  lastFixes(): Promise<LastFixes>
}

/** Rollups by device and local day, and what is current of devices. */
export interface RollupStore extends RollupReads {
  /** Notes that nothing is due as of an instant (epoch ms), in shards too in which nothing was. */
  noteRolledUp(now: number): Promise<void>
  /** Sets the rules, and writes what becomes due by them; false, with nothing written, where they are not `before`. */
  adoptRules(change: RulesChange): Promise<boolean>
  /** Adds clocks of zones that have none yet; nothing where the rules are not `rules`. */
  noteZoneClocks(rules: string, clocks: ReadonlyMap<string, number>): Promise<void>
  /** False, with nothing written, where the shard's version is no longer `commit.version`. */
  commit(commit: RollupCommit): Promise<boolean>
  /** False, with nothing written, where the shard's version is no longer `repair.version`. */
  repair(repair: Repair): Promise<boolean>
}

/** The earliest closing (epoch ms) of those days of a block that had not closed when they were rolled up; null for none. */
export function nextCloseAt(block: Block): number | null {
  let next: number | null = null
  for (const day of block) if (day !== null && isOpen(day)) next = Math.min(next ?? Infinity, closingOf(day))
  return next
}

/** Whether a day had not closed when it was rolled up: its rollup is provisional. */
export const isOpen = (day: DeviceDay): boolean => day.passedMs < day.lengthMs || day.closesAfterMs > 0

/** When an open day closes, epoch ms. */
export const closingOf = (day: DeviceDay): number => day.startAt + day.lengthMs + day.closesAfterMs
