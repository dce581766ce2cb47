import type { ExceptionLimits } from '../base/exceptions.ts'
import { type CalendarSettings, Calendars, dayOfDate, zonesOf } from '../rollup/local-day.ts'
import { StoredRollups } from '../rollup/stored-rollups.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { Device } from '../store/registry.ts'
import { placeOf } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import { type DescribedDay, describeAbsentDay, describeDay } from './described-day.ts'

/** The settings by which days are described. */
export interface DescriptionSettings extends CalendarSettings {
  defaultZone: string
  exceptions: ExceptionLimits
}

/**
 * Returns the local days (epoch days, both ends included) of a device, each once, ascending. A day before the first
 * event is one of silence; one that is not rolled up yet has no exceptions.
 */
export async function deviceDays(
  { registry, rollups }: Pick<StoreView, 'registry' | 'rollups'>,
  { number }: Device,
  { fromDay, toDay, now }: { fromDay: number; toDay: number; now: number },
  settings: DescriptionSettings,
): Promise<DescribedDay[]> {
  const { shard, block, slot } = placeOf(number, rollups.shards)
  const stored = new Map<number, DeviceDay>()
  for (const { day, body } of await rollups.storedRows(shard, block, fromDay, toDay)) {
    const rollup = decodeBlock(body, [shard, block, day])[slot]
    if (rollup !== null) stored.set(day, rollup)
  }
  const rows = new StoredRollups(rollups, shard)
  const before = await rows.found(() => rows.next(number, fromDay, -1))
  const placements = (await registry.placements([number])).get(number) ?? []
  const calendar = new Calendars(settings).of(zonesOf(placements, settings.defaultZone))
  const firstHeardAt = (await rollups.states([number])).get(number)?.firstHeardAt ?? null
  const rolledUpAt = await rollups.lastRollupAt(shard)
  const revised = new Set((await rollups.revisedDays([number], fromDay, toDay)).get(number))
  let lastHeardAt = before?.rollup.lastHeardAt || null
  return Array.from({ length: toDay - fromDay + 1 }, (_, nth) => {
    const day = fromDay + nth
    const rollup = stored.get(day)
    lastHeardAt = rollup?.lastHeardAt || lastHeardAt
    if (rollup !== undefined) return describeDay(day, rollup, revised.has(day), settings.exceptions)
    const absent = { local: dayOfDate(calendar, day), rolledUpAt, firstHeardAt, lastHeardAt, now }
    return describeAbsentDay(day, absent, revised.has(day), settings.exceptions)
  })
}
