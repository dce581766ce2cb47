import { CoolerError } from '../base/errors.ts'
import { formatDay } from '../base/time.ts'
import type { Placement } from '../event/placement.ts'
import { gapBefore } from '../rollup/after-purged.ts'
import { DeviceFold } from '../rollup/device-fold.ts'
import { foldSpan } from '../rollup/explain/fold-span.ts'
import { Calendars, dayOfDate, type LocalDay, zonesOf } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { type StoredDay, StoredRollups, storedBefore } from '../rollup/stored-rollups.ts'
import type { ArchiveReads } from '../store/archive.ts'
import { closingOf, type DeviceDay, isOpen } from '../store/device-day.ts'
import type { Device } from '../store/registry.ts'
import type { DeviceState } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'

/** A device-day to explain, with its stored data. Instants in epoch ms. */
export interface FoundDay {
  device: Device
  shard: number
  placements: readonly Placement[]
  zones: readonly { from: number; zone: string }[]
  state: DeviceState | undefined
  /** Local day, epoch day, from `start` up to before `end`. */
  day: number
  start: number
  end: number
  /** The day in the device's calendar; null if the stored day belongs to an earlier calendar of the device. */
  local: LocalDay | null
  /** Whether raw events of the day have been deleted. */
  rawPurged: boolean
  row: DeviceDay | null
  /** The last stored day before it. */
  before: StoredDay | null
  /** The day from which the state is carried in: `before`, or a gap after it. */
  carriedIn: DeviceDay | null
  /** Instant of the last rollup of the device's shard; null before the first. */
  rolledUpAt: number | null
  /** Null if it is no longer known. */
  closesAt: number | null
}

/** Finds a device-day. @throws CoolerError `not-found` for an unknown device, and for a date that its zones skip. */
export async function findDay(
  { archive, registry, rollups }: StoreView,
  settings: RollupSettings,
  deviceId: string,
  day: number,
): Promise<FoundDay> {
  const device = await registry.device(deviceId)
  if (device === null) throw new CoolerError('not-found', `no such device: ${JSON.stringify(deviceId)}`)
  const { number } = device
  const shard = number % rollups.shards
  const placements = (await registry.placements([number])).get(number) ?? []
  const zones = zonesOf(placements, settings.defaultZone)
  const calendar = new Calendars(settings).of(zones)
  const inCalendar = dayOfDate(calendar, day)
  const days = new StoredRollups(rollups, shard)
  const row = await days.found(() => days.on(number, day))
  const purgedBefore = await archive.purgedBefore()
  const bounds = boundsOf(inCalendar, row, purgedBefore)
  if (bounds === null) throw new CoolerError('not-found', skipped(day, zones))
  const before = await days.found(() =>
    storedBefore((from) => days.next(number, from, -1), { day, start: bounds.start }),
  )
  const { local, rawPurged } = bounds
  const gap = local === null || rawPurged ? null : gapBefore({ calendar, purgedBefore }, local, before)
  return {
    device,
    shard,
    placements,
    zones,
    state: (await rollups.states([number])).get(number),
    day,
    ...bounds,
    row,
    before,
    carriedIn: gap === null ? (before?.rollup ?? null) : await stateAfter(archive, settings, number, gap, before),
    rolledUpAt: await rollups.lastRollupAt(shard),
  }
}

/** Returns the state at the end of a gap (see `gapBefore`); null if nothing is known. */
async function stateAfter(
  archive: ArchiveReads,
  settings: RollupSettings,
  device: number,
  gap: LocalDay,
  before: StoredDay | null,
): Promise<DeviceDay | null> {
  const fold = new DeviceFold(settings, gap.end, () => null)
  fold.resume(before?.rollup ?? null)
  fold.startDay(gap)
  await foldSpan(archive, device, fold, gap)
  const state = fold.finishDay()
  return before === null && state.events === 0 ? null : state
}

/**
 * Returns the bounds of a day in today's calendar, or null. After a change of placement the stored day may have other
 * bounds; they hold if the day cannot be computed again, because its raw events or the date itself are gone.
 */
function boundsOf(
  inCalendar: LocalDay | null,
  row: DeviceDay | null,
  purgedBefore: number,
): Pick<FoundDay, 'start' | 'end' | 'local' | 'closesAt' | 'rawPurged'> | null {
  const stored = row && { start: row.startAt, end: row.startAt + row.lengthMs }
  const earliest = Math.min(stored?.start ?? Infinity, inCalendar?.start ?? Infinity)
  const rawPurged = purgedBefore > 0 && earliest < purgedBefore
  const fits = stored === null || (inCalendar?.start === stored.start && inCalendar.end === stored.end)
  if (inCalendar !== null && (fits || !rawPurged)) {
    const { start, end } = inCalendar
    const closesAt = fits && row !== null && isOpen(row) ? closingOf(row) : inCalendar.closesAt
    return { start, end, local: inCalendar, closesAt, rawPurged }
  }
  if (stored === null || row === null) return null
  return { ...stored, local: null, closesAt: isOpen(row) ? closingOf(row) : null, rawPurged }
}

function skipped(day: number, zones: readonly { zone: string }[]): string {
  const names = [...new Set(zones.map(({ zone }) => zone))].join(', ')
  return `the device has no day ${formatDay(day)}: by its zones (${names}) that date is skipped`
}

/** Tells whether a day had closed when it was rolled up or, if it has no rollup, at the shard's last rollup. */
export const isSettled = ({ row, closesAt, rolledUpAt }: FoundDay): boolean =>
  row !== null ? !isOpen(row) : closesAt !== null && rolledUpAt !== null && closesAt <= rolledUpAt

/** Returns the instant (epoch ms) up to which time counts in the stored figures; null if the day was not rolled up. */
export function asOfOf(found: FoundDay): number | null {
  const { row, end, closesAt, rolledUpAt } = found
  if (isSettled(found)) return Math.min(closesAt ?? end, rolledUpAt ?? Infinity)
  if (row === null) return null
  // The store does not record the instant of a rollup that preceded the day.
  return row.passedMs > 0 ? row.startAt + row.passedMs : Math.min(row.startAt, rolledUpAt ?? Infinity)
}
