import { isAlive, positionFinder } from '../rollup/device-cursor.ts'
import { DeviceFold } from '../rollup/device-fold.ts'
import { foldSpan } from '../rollup/explain/fold-span.ts'
import type { LocalDay } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { comparableTo, type DeviceDay } from '../store/device-day.ts'
import { STATISTIC_NAMES } from '../store/statistics.ts'
import type { StoreView } from '../store/view.ts'
import { DayTrace } from './day-trace.ts'
import { asOfOf, type FoundDay, isSettled } from './find-day.ts'

export interface Recomputed {
  day: DeviceDay
  trace: DayTrace
}

/** Folds the day again from its rolled-up events, as of the instant of the stored rollup. */
export async function recompute(
  { archive }: StoreView,
  settings: RollupSettings,
  found: FoundDay,
  local: LocalDay,
): Promise<Recomputed> {
  const { device, placements, state, carriedIn, start } = found
  const trace = new DayTrace()
  const meantAt = positionFinder({ placements, standIn: state?.firstFix ?? null })
  const fold = new DeviceFold(settings, asOfOf(found) ?? start, meantAt, trace)
  fold.resume(carriedIn)
  fold.startDay(local)
  await foldSpan(archive, device.number, fold, found)
  return { day: fold.finishDay(), trace }
}

/** Statistics that the events decide. A day's closing time depends on settings, which may have changed since. */
const STATISTICS = STATISTIC_NAMES.filter((field) => field !== 'closesAfterMs')

/** Tells whether the stored rollup is what the events give; for a day without one, whether it should have none. */
export function matchesStored(found: FoundDay, { day }: Recomputed, silenceLimitMs: number): boolean {
  const { row, carriedIn, start } = found
  if (row !== null) {
    const computed = comparableTo(row, day)
    return STATISTICS.every((field) => row[field] === computed[field])
  }
  return day.events === 0 && !(carriedIn !== null && isAlive(carriedIn, start, silenceLimitMs) && isSettled(found))
}
