import { CoolerError } from '../base/errors.ts'
import { formatDay, formatInstant, utcDayOf } from '../base/time.ts'
import { FURTHEST_DATES } from '../rollup/local-day.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceTarget } from '../store/erase-store.ts'
import { placeOf } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'

/**
 * Refuses to erase from days that have lost raw events to retention, because the figures of such days cannot be
 * computed again.
 *
 * @throws CoolerError `raw-purged` whose message names the days, and the instant from which erasing is possible
 */
export async function requireNotPurged(
  { archive, rollups }: Pick<StoreView, 'archive' | 'rollups'>,
  { device, fromAt, toAt }: DeviceTarget,
): Promise<void> {
  const purgedBefore = await archive.purgedBefore()
  if (purgedBefore === 0 || fromAt >= toAt) return
  const { shard, block, slot } = placeOf(device, rollups.shards)
  const rows = await rollups.blocks(shard, block, 0, utcDayOf(purgedBefore) + FURTHEST_DATES)
  const kept = rows.flatMap(({ day, body }) => {
    const rollup = decodeBlock(body, [shard, block, day])[slot]
    if (rollup === null || rollup.startAt >= purgedBefore || rollup.events === 0) return []
    return [{ day: formatDay(day), startAt: rollup.startAt, endAt: rollup.startAt + rollup.lengthMs }]
  })
  const within = kept.filter(({ startAt, endAt }) => startAt < toAt && endAt > fromAt)
  if (within.length === 0) return
  const from = Math.max(purgedBefore, ...kept.map(({ endAt }) => endAt))
  const days = [...new Set([within[0].day, within[within.length - 1].day])].join(' to ')
  throw new CoolerError(
    'raw-purged',
    `raw events of day ${days} have been deleted for their age, so their figures cannot be computed again: ` +
      `nothing was erased there; erase from ${formatInstant(from)} on`,
  )
}
