import type { ArchiveReads } from './archive.ts'
import type { Due } from './due.ts'
import type { EraseReads } from './erase-store.ts'
import type { LandingReads } from './landing.ts'
import type { RegistryReads } from './registry.ts'
import type { RejectReads } from './rejects.ts'
import type { RollupReads } from './rollup-store.ts'

/** What can be read of a store, by roles: who reads asks for those that it needs. */
export interface StoreView {
  landing: LandingReads
  due: Due
  archive: ArchiveReads
  rollups: RollupReads
  registry: RegistryReads
  rejects: RejectReads
  erasure: EraseReads
}

/** Runs reads on a view of one state of the store, whatever commits meanwhile. Not to be nested. */
export type Snapshot = <Result>(reads: (view: StoreView) => Promise<Result>) => Promise<Result>
