import { DEVICE_DAY_FIELDS, type DeviceDay, Power } from '../../summary/device-day.ts'
import { millisecondsInDay, utcDayOf } from '../../time.ts'
import { gatherDayEvents, UNWANTED } from '../day-events.ts'
import { positionFinder } from '../device-cursor.ts'
import { DeviceFold } from '../device-fold.ts'
import type { LocalDay } from '../local-day.ts'
import type { RollupSettings, RollupStores } from '../rollup-request.ts'
import { DayTrace } from './day-trace.ts'
import { asOfOf, type FoundDay, isSettled } from './find-day.ts'

export interface Recomputed {
  day: DeviceDay
  trace: DayTrace
}

/** Folds the day again, from the events that are rolled up, as of the rollup that is stored. */
export async function recompute(
  { raw }: RollupStores,
  settings: RollupSettings,
  found: FoundDay,
  local: LocalDay,
): Promise<Recomputed> {
  const { device, shard, placements, state, before, start, end } = found
  const trace = new DayTrace()
  const meantAt = positionFinder({ placements, standIn: state?.firstFix ?? null })
  const fold = new DeviceFold(settings, asOfOf(found) ?? start, meantAt, trace)
  fold.resume(before?.rollup ?? null)
  fold.startDay(local)
  for (let utcDay = utcDayOf(start); utcDay <= utcDayOf(end - 1); utcDay++) {
    const segments = await raw.eventsOfDay(shard, utcDay, { devices: [device.number], rolledUp: true })
    const events = gatherDayEvents(segments, (number) => (number === device.number ? 0 : UNWANTED), 1)
    const midnight = utcDay * millisecondsInDay
    const instants = Array.from(events.order, (row) => midnight + events.at[row])
    const from = instants.filter((at) => at < start).length
    fold.fold(events, from, instants.filter((at) => at < end).length, 0, midnight)
  }
  return { day: fold.finishDay(), trace }
}

/** Statistics that the events decide; when a day closes is a matter of settings that may have changed since. */
const STATISTICS = DEVICE_DAY_FIELDS.filter((field) => field !== 'closesAfterMs')

/** Whether what is stored is what the events give; of a day without a rollup, whether it rightly has none. */
export function matchesStored(found: FoundDay, { day }: Recomputed, silenceLimitMs: number): boolean {
  const { row, before, start } = found
  if (row !== null) return STATISTICS.every((field) => row[field] === day[field])
  const carried = before?.rollup
  const alive = carried && carried.power !== Power.unknown && carried.lastHeardAt + silenceLimitMs > start
  return day.events === 0 && !(alive && isSettled(found))
}
