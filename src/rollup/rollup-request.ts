import type { RollupStore } from '../store/rollup-store.ts'
import type { Snapshot, StoreView } from '../store/view.ts'
import type { FoldSettings } from './device-fold.ts'
import type { CalendarSettings } from './local-day.ts'

export interface RollupSettings extends FoldSettings, CalendarSettings {
  /** Zone of a placement that names none, and of a device without one. */
  defaultZone: string
}

/** What a rollup needs of a store: reads of one state, and the writes of what it makes. */
export interface RollupRoles extends Pick<StoreView, 'due' | 'archive' | 'registry'> {
  rollups: RollupStore
  snapshot: Snapshot
}

export interface RollupRequest {
  /** Instant of the rollup, epoch ms: days that are not over count up to it. */
  now: number
  /** Computes days that have not closed again, up to `now`; without it only those that close by now. */
  refresh?: boolean
  /** Computes these local days (epoch days, both ends counted) again, due or not. */
  days?: { from: number; to: number }
  /**
   * What the clock reads while the rollup runs; stands still at `now` unless set. A rollup that began long ago may meet
   * one that another process began and ended since: that one is no sign of a clock that was set back.
   */
  clock?: () => number
}

export interface RollupResult {
  deviceDays: number
  events: number
  /** Repeats of events among them: each event counts once. */
  repeats: number
  passes: number
}
