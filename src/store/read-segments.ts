import type { EventColumns } from '../event/event-columns.ts'
import type { ArchiveReads, SegmentsAsked } from './archive.ts'
import type { DueSegment } from './due.ts'

/** The number of segments that one call reads. All of them are in memory together. */
const SEGMENTS_AT_ONCE = 8

/**
 * Yields the events of segments of a shard, in their order. Damaged ones are reported to `onDamaged` and left out. With an arena,
 * events are valid until the next ones are asked for.
 *
 * @throws CoolerError `store-damaged` without `onDamaged`
 */
export async function* readSegments<Segment extends DueSegment>(
  archive: ArchiveReads,
  shard: number,
  segments: readonly Segment[],
  asked: SegmentsAsked = {},
): AsyncGenerator<[Segment, EventColumns]> {
  for (let from = 0; from < segments.length; from += SEGMENTS_AT_ONCE) {
    const some = segments.slice(from, from + SEGMENTS_AT_ONCE)
    asked.arena?.clear()
    const read = await archive.segments(shard, some, asked)
    for (const segment of some) {
      const columns = read.get(segment.id)
      if (columns !== undefined) yield [segment, columns]
    }
  }
}
