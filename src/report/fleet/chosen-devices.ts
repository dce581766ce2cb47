import { placementAt } from '../../event/placement.ts'
import { type Calendar, Calendars, dayOfDate, FURTHEST_DATES, type LocalDay, zonesOf } from '../../rollup/local-day.ts'
import { decodeBlock } from '../../store/codec/block-codec.ts'
import { closingOf, isOpen } from '../../store/device-day.ts'
import { deviceAt } from '../../store/rollup-store.ts'
import type { StoreView } from '../../store/view.ts'
import type { DescriptionSettings } from '../device-days.ts'
import { type DeviceSelection, selects } from '../device-selection.ts'
import type { Fleet } from './fleet.ts'

/** A selection, for a report of local days (epoch days, both included). */
export interface DeviceChoice {
  selection: DeviceSelection
  fromDay: number
  toDay: number
}

export interface ChosenDevices {
  /** In ascending order; null for all devices that a report of all has. */
  ids: string[] | null
  /** Whether all of these days of all of these devices are closed, and rolled up since. */
  isSettled: boolean
  /** The state of the store that this is true of (RollupReads.reportVersion). */
  version: string
}

/**
 * Returns which devices a selection is, and whether their days are settled. Retired devices are left out as in reports
 * of all, unless they are selected by their ids.
 *
 * A day of a device is settled once its shard was rolled up at an instant after it had closed by the device's own clock,
 * and that rollup left nothing of it to do. So a device that was never heard waits for its clock, too, and each zone
 * settles when it does. Events that land for a settled day revise it; they do not make it open again.
 */
export async function chooseDevices(
  view: Pick<StoreView, 'due' | 'rollups'>,
  fleet: Fleet,
  { selection, fromDay, toDay }: DeviceChoice,
  settings: DescriptionSettings,
): Promise<ChosenDevices> {
  const { rollups } = view
  const version = await rollups.reportVersion()
  const rolledUpAt: (number | null)[] = []
  for (let shard = 0; shard < rollups.shards; shard++) rolledUpAt.push(await rollups.lastRollupAt(shard))
  const lastDayOf = lastDays(fleet, toDay, settings)
  const isSelected = selects(selection)
  const zoneAtEnd = (place: number): string =>
    placementAt(fleet.placements(place), lastDayOf(place).end - 1)?.zone || settings.defaultZone
  const ids: string[] = []
  const ends = new Map<number, number>()
  let isSettled = true
  for (const [place, id] of fleet.ids.entries()) {
    if (selection.ids === undefined && fromDay > fleet.retiredDay[place]) continue
    if (!isSelected({ id, labels: fleet.labels[place] }, () => zoneAtEnd(place))) continue
    const number = fleet.numbers[place]
    const { end, closesAt } = lastDayOf(place)
    ids.push(id)
    ends.set(number, end)
    const at = rolledUpAt[number % rollups.shards]
    isSettled = isSettled && at !== null && closesAt <= at
  }
  isSettled = isSettled && !(await isLeft(view, rolledUpAt, toDay, ends))
  const isAll = Object.values(selection).every((part) => part === undefined)
  return { ids: isAll ? null : ids, isSettled, version }
}

/**
 * Tells whether any of these devices still waits for a rollup. A rollup commits in passes: until the last one, closed
 * days may still be stored as open, and devices may still be due.
 *
 * @param ends the end of the last day of each device, epoch ms, by its number
 */
async function isLeft(
  { rollups, due }: Pick<StoreView, 'due' | 'rollups'>,
  rolledUpAt: readonly (number | null)[],
  toDay: number,
  ends: ReadonlyMap<number, number>,
): Promise<boolean> {
  for (const shard of await due.shards()) {
    const devices = await due.devices(shard)
    if (devices.some(({ device, fromAt }) => fromAt < (ends.get(device) ?? -Infinity))) return true
  }
  for (const shard of await rollups.openShards(Math.max(...rolledUpAt.map((at) => at ?? 0)))) {
    for (const { block, day, body } of await rollups.openBlocks(shard, rolledUpAt[shard] ?? 0)) {
      if (day > toDay) continue
      for (const [slot, rollup] of decodeBlock(body, [shard, block, day]).entries()) {
        if (rollup === null || !isOpen(rollup) || closingOf(rollup) > (rolledUpAt[shard] ?? 0)) continue
        if (ends.has(deviceAt({ shard, block, slot }, rollups.shards))) return true
      }
    }
  }
  return false
}

/** Returns a function that returns the last day of a device up to a date. */
function lastDays(fleet: Fleet, date: number, settings: DescriptionSettings): (place: number) => LocalDay {
  const calendars = new Calendars(settings)
  const known = new Map<Calendar, LocalDay>()
  return (place) => {
    const calendar = calendars.of(zonesOf(fleet.placements(place), settings.defaultZone))
    const day = known.get(calendar) ?? lastDay(calendar, date)
    known.set(calendar, day)
    return day
  }
}

/** Zones skip single dates. */
function lastDay(calendar: Calendar, date: number): LocalDay {
  for (let day = date; day >= date - FURTHEST_DATES; day--) {
    const found = dayOfDate(calendar, day)
    if (found !== null) return found
  }
  throw new RangeError(`no day before the date ${date}`)
}
