import { type CheckContext, checkEvent, headOf } from '../../src/event/check-event.ts'
import type { EventBatch } from '../../src/event/event-batch.ts'
import { type LandingResult, MAX_REJECTIONS } from '../../src/ingest/landing-result.ts'
import { formatEvent, type RawEvent, readLines } from '../../src/ingest/read-batch.ts'

/** JSON.parse and checkEvent, line by line: what every faster way has to be equal to. */
export const plainly = (bytes: Buffer, context: CheckContext, batch: EventBatch): LandingResult =>
  checkAll(readLines(bytes, Number.MAX_SAFE_INTEGER), context, batch)

export function checkAll(events: readonly RawEvent[], context: CheckContext, batch: EventBatch): LandingResult {
  const result: LandingResult = { landed: 0, rejected: 0, rejections: [] }
  for (const [index, event] of events.entries()) {
    const reason = checkEvent(event.value, context, batch)
    if (reason === null) {
      result.landed++
      continue
    }
    batch.reject(reason, formatEvent(event), headOf(event.value))
    result.rejected++
    if (result.rejections.length < MAX_REJECTIONS) result.rejections.push({ index, reason })
  }
  return result
}

/** All that a batch shows of its events, and of its rejects what does not hang on how they were written. */
export function contentsOf({ count, ...batch }: EventBatch): unknown {
  const { ids, addresses, placements, rejects } = batch
  const columns = [batch.device, batch.at, batch.kind, batch.a, batch.b, batch.seq]
  // Zero has no sign once it is stored.
  const rows = columns.map((column) => Array.from(column.subarray(0, count), (value) => value + 0))
  const placed = placements.map((placement) => ({
    ...placement,
    seq: placement.seq + 0,
    lat: placement.lat + 0,
    lon: placement.lon + 0,
  }))
  const refused = rejects.map(({ reason, deviceId, at }) => ({ reason, deviceId, at }))
  return { ids, count, rows, addresses: [...addresses], placed, refused }
}

/** The texts of the rejects, as people will see them. */
export const rejectedTexts = ({ rejects }: EventBatch): string[] => rejects.map(({ raw }) => raw)
