import type { EventColumns } from '../event/event-columns.ts'
import type { DeviceState, FurtherDue } from './rollup-store.ts'

/** Which raw events are to be erased. Instants in epoch ms. */
export type EraseTarget = DeviceTarget | ImportTarget

/** Events of one device from `fromAt` up to before `toAt`; of some kinds (event-columns.ts) only, or (null) of all. */
export interface DeviceTarget {
  device: number
  fromAt: number
  toAt: number
  kinds: readonly number[] | null
}

/** All events of the import of that number. */
export interface ImportTarget {
  import: number
}

/** A UTC day of a shard. */
export interface ShardDay {
  shard: number
  utcDay: number
}

/** The stored rows of a UTC day of a shard that may hold events to erase, read from one state of the store. */
export interface ErasableDay {
  /** The shard's version; every rollup and every erasure counts it up. */
  version: number
  /** Epoch ms; see ArchiveReads.purgedBefore. */
  purgedBefore: number
  /** The newest segment of the store. */
  lastSegment: number
  segments: { id: number; isDue: boolean; ofImport: number; columns: EventColumns }[]
  compacted: { id: number; group: number; columns: EventColumns }[]
}

/** What one transaction erases from a UTC day of a shard: all of it or nothing. */
export interface DayErasure extends ShardDay, Pick<ErasableDay, 'version' | 'purgedBefore' | 'lastSegment'> {
  /** Rows that go; what remains of them is written as new rows, with new ids. */
  goneSegments: readonly number[]
  goneCompacted: readonly number[]
  segments: readonly Omit<ErasableDay['segments'][number], 'id'>[]
  compacted: readonly Omit<ErasableDay['compacted'][number], 'id'>[]
  /** How many events go. */
  events: number
  /** What is current of the devices without these events; null for a device that has no event left. */
  states: ReadonlyMap<number, DeviceState | null>
  due: readonly FurtherDue[]
  /** Local days (epoch days, both counted) that the events may be of: revisions of them lose their figures. */
  localDays: { from: number; to: number }
  /** The import all of whose events of the day go; null for none. */
  import: number | null
}

/** What is to be erased of a device beside events in columns. */
export interface DeviceRest {
  device: number
  deviceId: string
  fromAt: number
  toAt: number
  /** Whether a rejected event with that text is meant. */
  isReject: (raw: string) => boolean
  placements: boolean
}

/** What was erased beside events in columns, or would be. */
export interface ErasedRest {
  rejects: number
  placements: number
  devices: number
}

export interface KnownImport {
  number: number
  id: string
  /** Epoch ms. */
  startedAt: number
  files: string
}

export interface EraseReads {
  /** Rows that may hold events of the target; to be called within a snapshot, or alone. */
  erasableDay(day: ShardDay, target: EraseTarget): Promise<ErasableDay>
  /** Counts rejects and placements of an import alone. */
  countImportRest(ofImport: number): Promise<ErasedRest>
  /** Devices that only an import has registered, and that nobody has retired; without placements of other sources. */
  devicesOfImport(ofImport: number): Promise<number[]>
  /** Null for an unknown id. */
  import(id: string): Promise<KnownImport | null>
  /** The latest imports, newest first. */
  latestImports(limit: number): Promise<KnownImport[]>
  /** UTC days of shards on which events of an import have landed, ascending. */
  importDays(ofImport: number): Promise<ShardDay[]>
  /** How many placements in force of a device begin within a span. */
  placementsWithin(device: number, fromAt: number, toAt: number): Promise<number>
}

/** Erases events, in transactions each of which leaves the store whole. */
export interface EraseStore extends EraseReads {
  /**
   * Erases in one transaction, and refuses every rollup and compaction that has read what goes. False, with nothing
   * changed, where someone else has changed one of the rows, the shard's rollups or the purged days since they were read.
   */
  eraseDay(erasure: DayErasure): Promise<boolean>
  /** With `dryRun` it only counts. */
  eraseDeviceRest(rest: DeviceRest, dryRun: boolean): Promise<ErasedRest>
  /**
   * Erases the rejects and placements of an import; then the devices that it registered and of which nothing is left:
   * no event, no placement, and nobody has retired or put them.
   */
  eraseImportRest(ofImport: number, now: number): Promise<ErasedRest>
  /**
   * Overwrites the pages of the file that earlier deletions have freed, and empties the write-ahead log. Returns whether
   * the log could be emptied: it cannot while somebody reads an older state.
   */
  overwriteFreed(): Promise<boolean>
}
