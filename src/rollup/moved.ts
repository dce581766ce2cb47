import type { Placement } from '../event/placement.ts'
import type { DeviceState } from '../store/rollup-store.ts'
import type { Due } from './due-plan.ts'
import type { Calendar } from './local-day.ts'
import { standInMoved } from './seen-events.ts'
import { fits } from './stored-rollups.ts'

/** A due device, with its state before and after a pass. */
export interface DueDeviceState {
  due: Due
  before: DeviceState | undefined
  state: DeviceState | undefined
  placements: readonly Placement[]
  calendar: Calendar
}

/** Tells whether all days of a device must be recomputed, as their bounds or its meant position may have changed. */
export const hasMoved = ({ due, before, state, placements, calendar }: DueDeviceState): boolean =>
  due.moved || (placements.length === 0 && standInMoved(before, state)) || due.rows.some((row) => !fits(calendar, row))
