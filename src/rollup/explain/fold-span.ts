import { millisecondsInDay, utcDayOf } from '../../base/time.ts'
import type { ArchiveReads } from '../../store/archive.ts'
import { gatherDayEvents, UNWANTED } from '../day-events.ts'
import type { DeviceFold } from '../device-fold.ts'

/** Folds the rolled-up events of one device from `start` until before `end` (epoch ms), as if they were of one day. */
export async function foldSpan(
  archive: ArchiveReads,
  device: number,
  fold: DeviceFold,
  { start, end }: { start: number; end: number },
): Promise<void> {
  for (let utcDay = utcDayOf(start); utcDay <= utcDayOf(end - 1); utcDay++) {
    const segments = await archive.eventsOfDay(device % archive.shards, utcDay, {
      devices: [device],
      which: 'rolled-up',
    })
    const events = gatherDayEvents(segments, (number) => (number === device ? 0 : UNWANTED), 1)
    const midnight = utcDay * millisecondsInDay
    const countBefore = (instant: number): number =>
      events.order.reduce((count, row) => (midnight + events.at[row] < instant ? count + 1 : count), 0)
    fold.fold(events, countBefore(start), countBefore(end), 0, midnight)
  }
}
