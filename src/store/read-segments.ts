import type { EventColumns } from '../event/event-columns.ts'
import type { ArchiveReads, OnDamagedSegment } from './archive.ts'

/** The number of segments that one call reads. All of them are in memory together. */
const SEGMENTS_AT_ONCE = 32

/**
 * Yields the events of segments, in their order. Damaged ones are reported to `onDamaged` and left out.
 *
 * @throws CoolerError `store-damaged` without `onDamaged`
 */
export async function* readSegments<Segment extends { id: number }>(
  archive: ArchiveReads,
  segments: readonly Segment[],
  onDamaged?: OnDamagedSegment,
): AsyncGenerator<[Segment, EventColumns]> {
  for (let from = 0; from < segments.length; from += SEGMENTS_AT_ONCE) {
    const some = segments.slice(from, from + SEGMENTS_AT_ONCE)
    const read = await archive.segments(
      some.map(({ id }) => id),
      onDamaged,
    )
    for (const segment of some) {
      const columns = read.get(segment.id)
      if (columns !== undefined) yield [segment, columns]
    }
  }
}
