import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { type ReadableEvent, readableEvent } from '../event/readable-event.ts'
import type { ArchiveReads } from './archive.ts'

/**
 * Yields the landed events of one device from `fromAt` up to before `toAt` (epoch ms), by `at`, repeats included. Costs
 * reading 16 devices on each UTC day, or the device's whole shard on days that are not compacted.
 */
export async function* deviceEvents(
  archive: ArchiveReads,
  device: number,
  { fromAt, toAt }: { fromAt: number; toAt: number },
): AsyncGenerator<ReadableEvent> {
  const shard = device % archive.shards
  let utcDay = await archive.nextDay(shard, utcDayOf(fromAt))
  for (; utcDay !== null; utcDay = await archive.nextDay(shard, utcDay + 1)) {
    const midnight = utcDay * millisecondsInDay
    if (midnight >= toAt) return
    const events: { at: number; event: ReadableEvent }[] = []
    for (const columns of await archive.eventsOfDay(shard, utcDay, { devices: [device] })) {
      for (let row = 0; row < columns.count; row++) {
        const at = midnight + columns.at[row]
        if (columns.device[row] === device && at >= fromAt && at < toAt)
          events.push({ at, event: readableEvent(columns, row, at) })
      }
    }
    for (const { event } of events.sort((one, other) => one.at - other.at)) yield event
  }
}
