import { millisecondsInDay } from '../../base/time.ts'
import { zoneName } from '../../base/zone.ts'
import type { CheckContext } from '../../event/check-event.ts'
import type { EventBatch } from '../../event/event-batch.ts'
import { NO_SEQ } from '../../event/event-columns.ts'
import { readableEvent, readablePlacement } from '../../event/readable-event.ts'
import type { Reason } from '../../event/reasons.ts'
import { type LandingResult, MAX_REJECTIONS } from '../landing-result.ts'
import type { PackedBatch } from './batch-codec.ts'
import { idAt, indexesIn } from './packed-ids.ts'

/**
 * Adds the events of a packed batch to a group. Only their age is checked here, the rest was checked when they were
 * packed: an event may since have become older than the raw events that are kept, or the packer's clock may have been
 * wrong. Such an event is rejected with its kept values, because its original text is gone.
 */
export function addPacked(packed: PackedBatch, context: CheckContext, group: EventBatch): LandingResult {
  const { count, ids, device, at, kind, a, b, seq, addresses, placements } = packed
  const result: LandingResult = { landed: 0, rejected: 0, rejections: [] }
  const reject = (index: number, reason: Reason, event: object, device: number, instant: number): void => {
    const deviceId = idAt(ids, device)
    group.reject(reason, JSON.stringify({ deviceId, ...event }), { deviceId, at: instant })
    if (result.rejections.length < MAX_REJECTIONS) result.rejections.push({ index, reason })
    result.rejected++
  }
  const latest = context.landedAt + millisecondsInDay
  const indexes = indexesIn(group, ids)
  for (let row = 0; row < count; row++) {
    const instant = at[row]
    if (instant > latest || instant < context.purgedBefore) {
      const reason = instant > latest ? 'at-in-future' : 'raw-purged'
      reject(row, reason, readableEvent(packed, row, instant), device[row], instant)
      continue
    }
    const address = addresses.get(row)
    if (address) group.addresses.set(group.count, address)
    group.addRow(indexes[device[row]], instant, seq === null ? NO_SEQ : seq[row], kind[row], a[row], b[row])
    result.landed++
  }
  for (const [index, placement] of placements.entries()) {
    const { device: own, at: instant } = placement
    if (instant > latest) {
      reject(count + index, 'at-in-future', readablePlacement(placement), own, instant)
      continue
    }
    // Older versions packed a zone in the letter case in which it came, and empty addresses.
    const { zone, address } = placement
    group.placements.push({ ...placement, device: indexes[own], zone: zoneName(zone) ?? '', address: address || null })
    result.landed++
  }
  return result
}
