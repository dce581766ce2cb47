import { CoolerError } from '../base/errors.ts'
import type { EventColumns } from '../event/event-columns.ts'
import type { Placement } from '../event/placement.ts'
import type { Reason } from '../event/reasons.ts'
import type { Block } from './codec/block-codec.ts'
import type { KnownImport, ShardDay } from './erase-store.ts'
import type { Counters } from './landing.ts'
import type { MessageRow } from './message-row.ts'
import type { KeptNotice, Noticed, StoredSubscription, Told } from './notices.ts'
import type { SourcesText } from './placement-sources.ts'
import type { DeviceState, FurtherDue } from './rollup-store.ts'
import type { StoreView } from './view.ts'

/**
 * Whether a store may be used, as stored. `unfinished`: it is the target of a move, and only the move may use it.
 * `moved`: it is the source of a finished move, and is only read.
 */
export const MOVE_STATES = ['in-use', 'unfinished', 'moved'] as const

export type MoveState = (typeof MOVE_STATES)[number]

const REASONS_NOT_TO_OPEN: Record<MoveState, string | null> = {
  'in-use': null,
  unfinished:
    'the store is the target of a move that is not finished: finish it (cooler move --finish), or name the store that is being moved in COOLER_STORE',
  moved:
    'the store has been moved: name the new one in COOLER_STORE (cooler move --reopen takes this one into use again, without what the new one has taken since)',
}

/** Returns why a store may not be used, and what to do; null where it may. */
export const reasonNotToUse = (state: MoveState): string | null => REASONS_NOT_TO_OPEN[state]

/** Refuses to open a store that may not be used. @throws CoolerError `bad-configuration` */
export function requireUse(state: MoveState, mode: 'read' | 'write'): void {
  const why = state === 'moved' && mode === 'read' ? null : REASONS_NOT_TO_OPEN[state]
  if (why !== null) throw new CoolerError('bad-configuration', why)
}

/** Refuses to write to a store that was moved while it was open. @throws CoolerError `store-gone` */
export function requireStillInUse(state: MoveState): void {
  if (state === 'in-use') return
  throw new CoolerError('store-gone', 'the store has been moved: nothing is taken until this program uses the new one')
}

/** Makes the error for a target that holds a store of its own. */
export const usedTarget = (): CoolerError =>
  new CoolerError(
    'bad-configuration',
    'the target of the move is a store with devices of its own: name a new file or an empty database',
  )

/** Makes the error for a run after which another one has begun. */
export const overtaken = (): CoolerError =>
  new CoolerError('store-busy', 'another move to the same target has begun: this one ends')

/** A registered device; `id` is null if the device has been erased. Instants are in epoch ms. */
export interface MovedDevice {
  number: number
  id: string | null
  registeredAt: number
  retiredAt: number | null
  ofImport: number
  erasedAt: number | null
  /** As stored, see labelsText. */
  labels: string | null
}

export interface MovedPlacement extends Placement {
  device: number
  removedAt: number | null
  sources: SourcesText
}

/** A revision with its causes and figures as stored. */
export interface MovedRevision {
  device: number
  day: number
  number: number
  revisedAt: number
  causes: string
  old: string | null
}

/** Device numbers from `from` to before `to`; both are multiples of the number of shards. */
export interface NumberRange {
  from: number
  to: number
}

/** A segment without its events. */
export interface SegmentNote {
  shard: number
  utcDay: number
  id: number
  ofImport: number
  isDue: boolean
  count: number
}

/** The compacted events of a UTC day: their number, and a text that changes with any of their bodies. */
export interface CompactedDay {
  mark: string
  events: number
}

/** A rejected event with everything that is stored of it. */
export interface MovedReject {
  id: number
  rejectedAt: number
  reason: Reason
  raw: string
  rawBytes: number
  deviceId: string | null
  at: number | null
  ofImport: number
}

/** A message as stored, sealed by its id. */
export interface MovedMessage extends MessageRow {
  claimedUntil: number
}

/** Reads that only a move needs. They return rows as stored, including removed and erased ones. */
export interface MoveReads {
  state(): Promise<MoveState>
  devices(range: NumberRange): Promise<MovedDevice[]>
  placements(range: NumberRange): Promise<MovedPlacement[]>
  revisions(range: NumberRange): Promise<MovedRevision[]>
  /** Returns the segments of a UTC day of a shard, or all, ordered by shard, day and id. */
  segments(of?: ShardDay): Promise<SegmentNote[]>
  /** Returns the UTC days with compacted events; only this day if it is given. */
  compactedDays(utcDay?: number): Promise<Map<number, CompactedDay>>
  /** @throws CoolerError `store-damaged` */
  compacted(shard: number, utcDay: number): Promise<EventColumns[]>
  /** Returns for each local day with rollups a text that changes with any of them: see markOfRollups. */
  rollupDays(): Promise<Map<number, string>>
  /** Returns rejected events with an id above `after`, ascending. */
  rejects(after: number, limit: number): Promise<MovedReject[]>
  rejectIds(): Promise<number[]>
  /** Returns the last id that a rejected event was given; 0 for none. Ids are not given again. */
  lastRejectId(): Promise<number>
  /** Returns a text for each day with reported exceptions, which changes with them; only of `day` if it is given. */
  toldDays(day?: number): Promise<Map<number, string>>
  /** Returns all notices. */
  notices(): Promise<KeptNotice[]>
  /** Returns for each message a text that changes with it. */
  messageMarks(): Promise<Map<string, string>>
  messages(ids: readonly string[]): Promise<MovedMessage[]>
}

/** A part of the source. Its mark is recorded in the transaction that copies it. */
export interface MovedUnit {
  kind: 'devices' | 'segments' | 'compacted' | 'rollups' | 'told'
  unit: string
  /** Null for a part that the source no longer has, or that is not complete yet. */
  mark: string | null
}

/** What is stored by device number of the target. */
export interface DeviceRows {
  devices: readonly MovedDevice[]
  placements: readonly MovedPlacement[]
  revisions: readonly MovedRevision[]
  states: ReadonlyMap<number, DeviceState>
}

export interface MovedSegment {
  shard: number
  utcDay: number
  ofImport: number
  isDue: boolean
  columns: EventColumns
}

/** Everything that is small. It is replaced as a whole. */
export interface StoreRest {
  imports: readonly KnownImport[]
  /** Deleted days on which events of imports had landed: an erasure reports that they stay as they are. */
  purgedParts: readonly (ShardDay & { import: number })[]
  counters: Counters
  rules: string | null
  zoneClocks: ReadonlyMap<string, number>
  /** Epoch ms; see ArchiveReads.purgedBefore. */
  purgedBefore: number
  due: readonly FurtherDue[]
  lastRejectId: number
  /** By shard, epoch ms; see RollupReads.lastRollupAt. */
  rolledUpAt: readonly (number | null)[]
  subscriptions: readonly StoredSubscription[]
  notices: readonly KeptNotice[]
  /** When every shard was last compared with what was reported; null for never. */
  noticed: Noticed | null
  /** Days of every shard to look at. */
  noticeDays: readonly number[]
  /** Epoch ms. */
  now: number
}

/**
 * A store that a move writes. Each call is one transaction. Only the run that was begun last can write.
 *
 * @throws CoolerError `store-busy` by every write after another run has begun
 */
export interface MoveTarget {
  readonly shards: number
  readonly view: StoreView
  /** Returns the numbers that devices of the source have here, as pairs. */
  numbers(): Promise<[source: number, target: number][]>
  /** Returns the marks of parts by unit. */
  marks(kind: MovedUnit['kind']): Promise<Map<string, string>>
  /** Registers devices of the source and returns the numbers that they have here, in their order. */
  addDevices(devices: readonly MovedDevice[]): Promise<number[]>
  /** Replaces everything that is stored of these devices, and the rows of these devices themselves. */
  putDevices(unit: MovedUnit, rows: DeviceRows): Promise<void>
  /** Replaces the segments of a part. */
  putSegments(unit: MovedUnit, segments: readonly MovedSegment[]): Promise<void>
  /** Returns the segments of a part. */
  segmentsOf(unit: string): Promise<{ shard: number; utcDay: number; id: number }[]>
  /** Replaces the compacted events of these shards on a UTC day by groups of devices, each sorted by device. */
  putCompacted(
    unit: MovedUnit,
    place: { utcDay: number; shards: readonly number[] },
    groups: readonly { shard: number; group: number; columns: EventColumns }[],
  ): Promise<void>
  /** Replaces the rollups of these shards on a local day. */
  putRollups(
    unit: MovedUnit,
    place: { day: number; shards: readonly number[] },
    blocks: readonly { shard: number; block: number; rollups: Block }[],
  ): Promise<void>
  /** Replaces the reported exceptions of a day (epoch day). */
  putTold(unit: MovedUnit, day: number, rows: readonly (Omit<Told, 'day'> & { shard: number })[]): Promise<void>
  /** Adds or replaces messages. */
  putMessages(messages: readonly MovedMessage[]): Promise<void>
  deleteMessages(ids: readonly string[]): Promise<void>
  addRejects(rejects: readonly MovedReject[]): Promise<void>
  deleteRejects(ids: readonly number[]): Promise<void>
  putRest(rest: StoreRest): Promise<void>
  /** Forgets what was noted for the move, and takes the store into use. */
  finish(): Promise<void>
  close(): Promise<void>
}
