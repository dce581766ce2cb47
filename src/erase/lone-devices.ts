import { utcDayOf } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import { readSegments } from '../store/read-segments.ts'
import type { StoreView } from '../store/view.ts'

/** Counts the devices that would be left without any event if all events of an import were erased. Writes nothing. */
export async function countLoneDevices(
  stores: Omit<StoreView, 'landing' | 'rejects' | 'notices' | 'moving'>,
  ofImport: number,
): Promise<number> {
  const { archive, erasure } = stores
  const byShard = new Map<number, Set<number>>()
  for (const device of await erasure.devicesOfImport(ofImport)) {
    const shard = device % archive.shards
    byShard.set(shard, (byShard.get(shard) ?? new Set()).add(device))
  }
  let count = 0
  for (const [shard, devices] of byShard) {
    await removeHeard(stores, shard, devices, ofImport)
    count += devices.size
  }
  return count
}

/** Removes from `devices` the devices of a shard that have an event from another source. */
async function removeHeard(
  { due, archive, rollups }: Pick<StoreView, 'due' | 'archive' | 'rollups'>,
  shard: number,
  devices: Set<number>,
  ofImport: number,
): Promise<void> {
  const remove = ({ count, device, imports }: EventColumns): void => {
    for (let row = 0; row < count; row++) if ((imports?.[row] ?? 0) !== ofImport) devices.delete(device[row])
  }
  for await (const [, columns] of readSegments(archive, shard, await due.segments(shard))) remove(columns)
  const purgedBefore = await archive.purgedBefore()
  const states = await rollups.states([...devices])
  let [from, to] = [Infinity, -Infinity]
  for (const [device, { firstHeardAt, lastHeardAt }] of states) {
    // A state from before the purge shows that the device had events that have been deleted for their age.
    if (firstHeardAt < purgedBefore) devices.delete(device)
    from = Math.min(from, utcDayOf(firstHeardAt))
    to = Math.max(to, utcDayOf(lastHeardAt))
  }
  let day = from === Infinity ? null : await archive.nextDay(shard, from)
  while (day !== null && day <= to && devices.size > 0) {
    for (const columns of await archive.eventsOfDay(shard, day, { devices: [...devices] })) remove(columns)
    day = await archive.nextDay(shard, day + 1)
  }
}
