import type { EraseStore } from './erase-store.ts'
import type { RawStore } from './raw-store.ts'
import type { Registry } from './registry.ts'
import type { ReportStore } from './report-store.ts'

/** What can be read of a store: what writes is left out. */
export interface StoreView {
  raw: Omit<RawStore, 'land' | 'compact' | 'pruneDay' | 'deleteRejects'>
  registry: Omit<Registry, 'put'>
  report: Omit<ReportStore, 'noteRolledUp' | 'adoptRules' | 'noteZoneClocks' | 'commit' | 'repair'>
  erasure: Omit<EraseStore, 'eraseDay' | 'eraseDeviceRest' | 'eraseImportRest' | 'overwriteFreed'>
}

export type RawReads = StoreView['raw']
export type RegistryReads = StoreView['registry']
export type ReportReads = StoreView['report']

/** Runs reads on a view of one state of the store, whatever commits meanwhile. Not to be nested. */
export type Snapshot = <Result>(reads: (view: StoreView) => Promise<Result>) => Promise<Result>
