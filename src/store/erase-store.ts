import type { EventColumns } from '../event/event-columns.ts'
import type { DeviceState, FurtherDue } from './rollup-store.ts'

/** Selects the raw events to erase. Instants are in epoch ms. */
export type EraseTarget = DeviceTarget | ImportTarget

/** Events of one device from `fromAt` up to before `toAt`: of these kinds (event-columns.ts) or, if null, of all. */
export interface DeviceTarget {
  device: number
  fromAt: number
  toAt: number
  kinds: readonly number[] | null
}

/** All events of the import with this number. */
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
  /** The shard's version; every rollup and every erasure increments it. */
  version: number
  /** Epoch ms; see ArchiveReads.purgedBefore. */
  purgedBefore: number
  segments: { id: number; isDue: boolean; ofImport: number; columns: EventColumns }[]
  compacted: { id: number; group: number; columns: EventColumns }[]
}

/** The changes by which one transaction erases events of a UTC day of a shard, all or nothing. */
export interface DayErasure extends ShardDay, Pick<ErasableDay, 'version' | 'purgedBefore'> {
  /** Rows to delete; their remaining events are written as new rows, with new ids. */
  goneSegments: readonly number[]
  goneCompacted: readonly number[]
  segments: readonly Omit<ErasableDay['segments'][number], 'id'>[]
  compacted: readonly Omit<ErasableDay['compacted'][number], 'id'>[]
  /** Number of erased events. */
  events: number
  /** The states of the devices without these events; null for a device that has no event left. */
  states: ReadonlyMap<number, DeviceState | null>
  due: readonly FurtherDue[]
  /** Local days (epoch days, both inclusive) that the events may belong to: their revisions lose their figures. */
  localDays: { from: number; to: number }
  /** The import whose events of the day are all erased; null for none. */
  import: number | null
}

/** Selects what to erase of a device in addition to its events in columns. */
export interface DeviceRest {
  device: number
  deviceId: string
  fromAt: number
  toAt: number
  /** Tells whether the rejected event with this text is to be erased. */
  isReject: (raw: string) => boolean
  placements: boolean
}

/** Counts of what was erased, or would be, in addition to events in columns. */
export interface ErasedRest {
  rejects: number
  placements: number
  devices: number
}

/** What a step of taking back the placements of an import has done. */
export interface TakenBack {
  /** Number of placements that are no longer in force. */
  erased: number
  /** Devices with placements that the import had reported. */
  devices: readonly number[]
  /** The last of them. */
  last: number
}

export interface KnownImport {
  number: number
  id: string
  /** Epoch ms. */
  startedAt: number
  files: string
}

export interface EraseReads {
  /** Returns the rows that may hold events of the target. Call it within a snapshot, or alone. */
  erasableDay(day: ShardDay, target: EraseTarget): Promise<ErasableDay>
  /** Counts the rejects of an import, and the placements that no other source reported. */
  countImportRest(ofImport: number): Promise<ErasedRest>
  /** Returns the unretired devices that only this import registered and that have no placement of another source. */
  devicesOfImport(ofImport: number): Promise<number[]>
  /** Returns null for an unknown id. */
  import(id: string): Promise<KnownImport | null>
  /** Returns the latest imports, newest first. */
  latestImports(limit: number): Promise<KnownImport[]>
  /** Returns the UTC days of shards on which events of an import have landed, ascending. */
  importDays(ofImport: number): Promise<ShardDay[]>
  /** Counts the placements in force of a device that begin from `fromAt` up to before `toAt`. */
  placementsWithin(device: number, fromAt: number, toAt: number): Promise<number>
}

/** Erases events. Each of its transactions leaves the store consistent. */
export interface EraseStore extends EraseReads {
  /**
   * Erases in one transaction; rollups and compactions that have read the erased events can no longer commit. Returns
   * false and changes nothing if the rows, the shard's rollups or the purged days have changed since they were read.
   */
  eraseDay(erasure: DayErasure): Promise<boolean>
  /** Erases and counts; with `dryRun` it only counts. */
  eraseDeviceRest(rest: DeviceRest, dryRun: boolean): Promise<ErasedRest>
  /**
   * Erases the rejects and placements of an import, then the devices that it registered and that have no event and no
   * placement left, unless somebody has retired or put them.
   */
  eraseImportRest(ofImport: number, now: number): Promise<ErasedRest>
  /**
   * Overwrites the pages of the file that earlier deletions have freed, and empties the write-ahead log. Returns false
   * if the log could not be emptied because somebody still reads an older state, and null where the engine's log is not
   * ours to empty.
   */
  overwriteFreed(): Promise<boolean | null>
}
