import type { EventColumns } from '../event/event-columns.ts'
import type { Archive, CompactedGroup } from '../store/archive.ts'
import { groupOf } from '../store/codec/device-group.ts'
import { selectRows } from '../store/codec/select-rows.ts'
import { sortByDevice } from '../store/codec/sort-by-device.ts'

/**
 * Compacts the rolled-up segments of one UTC day of a shard: segments in landing order become bodies sorted by device.
 * Bodies that get no new events stay as they are. The whole change is one transaction, which is abandoned if another
 * process changed the same rows meanwhile; no figure depends on it. Holds the day's segments in memory. Returns the
 * number of events that were compacted.
 */
export async function compactDay(archive: Archive, shard: number, utcDay: number): Promise<number> {
  const segments = await archive.rolledUpSegments(shard, utcDay)
  if (segments.length === 0) return 0
  const groups: CompactedGroup[] = []
  let events = 0
  const split = splitByGroup(
    segments.map(({ columns }) => columns),
    archive.shards,
  )
  const bodies = await archive.compactedGroups(shard, utcDay, [...split.keys()])
  for (const [group, fresh] of split) {
    events += fresh.reduce((sum, { count }) => sum + count, 0)
    const before = bodies.get(group)
    const parts = before === undefined ? fresh : [before.columns, ...fresh]
    groups.push({ group, replaces: before?.id ?? null, columns: sortByDevice(parts) })
  }
  const change = { shard, utcDay, segments: segments.map(({ id }) => id), groups }
  return (await archive.compact(change)) ? events : 0
}

/** Returns the rows of each group, in one part for each segment that has some. */
function splitByGroup(segments: readonly EventColumns[], shards: number): Map<number, EventColumns[]> {
  const groups = new Map<number, EventColumns[]>()
  for (const segment of segments) {
    for (const [group, rows] of rowsByGroup(segment, shards)) {
      const part = selectRows(segment, rows)
      const parts = groups.get(group)
      if (parts) parts.push(part)
      else groups.set(group, [part])
    }
  }
  return groups
}

function rowsByGroup({ count, device }: EventColumns, shards: number): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (let row = 0; row < count; row++) {
    const group = groupOf(device[row], shards)
    const rows = groups.get(group)
    if (rows) rows.push(row)
    else groups.set(group, [row])
  }
  return groups
}
