import type { RollupStore } from '../store/rollup-store.ts'
import type { Snapshot, StoreView } from '../store/view.ts'
import type { FoldSettings } from './device-fold.ts'
import type { CalendarSettings } from './local-day.ts'

export interface RollupSettings extends FoldSettings, CalendarSettings {
  /** Zone of placements that name no zone, and of devices without a placement. */
  defaultZone: string
}

/** The parts of a store that a rollup needs: reads of one snapshot, and writes of the results. */
export interface RollupRoles extends Pick<StoreView, 'due' | 'archive' | 'registry'> {
  rollups: RollupStore
  snapshot: Snapshot
}

export interface RollupRequest {
  /** Instant of the rollup, epoch ms: days that are not over count up to it. */
  now: number
  /** Also computes open days again, up to `now`; otherwise only those that have closed by `now`. */
  refresh?: boolean
  /** Whether several workers do this same request: what one of them has rolled up as of `now` is left out by the others. */
  isShared?: boolean
  /** Computes these local days (epoch days, both ends included) again, due or not. */
  days?: { from: number; to: number }
  /**
   * Reads the clock while the rollup runs; `now` unless set. During a long rollup another process may begin and end a
   * later one, which must not be taken for a sign that the clock was set back.
   */
  clock?: () => number
}

export interface RollupResult {
  deviceDays: number
  events: number
  /** Repeats among the events; each event counts once. */
  repeats: number
  passes: number
}
