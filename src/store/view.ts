import type { ArchiveReads } from './archive.ts'
import type { Due } from './due.ts'
import type { EraseReads } from './erase-store.ts'
import type { LandingReads } from './landing.ts'
import type { MoveReads } from './moving.ts'
import type { NoticeReads } from './notices.ts'
import type { RegistryReads } from './registry.ts'
import type { RejectReads } from './rejects.ts'
import type { RollupReads } from './rollup-store.ts'

/** The readable parts of a store, by role; a reader asks for the roles that it needs. */
export interface StoreView {
  landing: LandingReads
  due: Due
  archive: ArchiveReads
  rollups: RollupReads
  registry: RegistryReads
  rejects: RejectReads
  erasure: EraseReads
  notices: NoticeReads
  moving: MoveReads
}

/** Runs reads on one state of the store, which later commits do not change. Must not be nested. */
export type Snapshot = <Result>(reads: (view: StoreView) => Promise<Result>) => Promise<Result>
