import type { Placement } from '../event/placement.ts'
import type { DeviceState } from '../store/rollup-store.ts'
import type { Due, StoredRow } from './due-plan.ts'
import type { Calendar } from './local-day.ts'
import { standInMoved } from './seen-events.ts'

/** What is known of a device that is due, before a pass and after it. */
export interface DueDeviceState {
  due: Due
  before: DeviceState | undefined
  state: DeviceState | undefined
  placements: readonly Placement[]
  calendar: Calendar
}

/** Whether all days of a device must be computed again, since they may have other bounds or another place to be at. */
export const hasMoved = ({ due, before, state, placements, calendar }: DueDeviceState): boolean =>
  due.moved || (placements.length === 0 && standInMoved(before, state)) || due.rows.some((row) => !fits(calendar, row))

/** Whether a stored day is one of the calendar: it is not where the default zone was changed in between. */
function fits(calendar: Calendar, { day, rollup }: StoredRow): boolean {
  const { start, end, day: date } = calendar.dayAt(rollup.startAt)
  return date === day && start === rollup.startAt && end === rollup.startAt + rollup.lengthMs
}
