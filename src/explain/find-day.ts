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
import type { DeviceDay } from '../store/device-day.ts'
import type { Device } from '../store/registry.ts'
import { closingOf, type DeviceState, isOpen } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'

/** A device-day that is to be explained, and what is stored of it. Instants in epoch ms. */
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
  /** The day in the device's calendar; null where what is stored is of one that it had before. */
  local: LocalDay | null
  /** Raw events of the day have been deleted. */
  rawPurged: boolean
  row: DeviceDay | null
  /** The last stored day before it. */
  before: StoredDay | null
  /** The day from which the state is carried in: that stored one, or a gap after it. */
  carriedIn: DeviceDay | null
  /** Instant of the last rollup of the device's shard; null before the first. */
  rolledUpAt: number | null
  /** Null where it is not known any more. */
  closesAt: number | null
}

/** @throws CoolerError `not-found` for an unknown device, and for a date that its zones skip. */
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

/** Returns the state that a gap (see `gapBefore`) leaves behind; null where nothing is known. */
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
 * The day as its calendar has it now. What is stored may be of an earlier calendar, where a placement changed: that
 * holds where it cannot be computed again, since the raw events or the date itself are no longer there.
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

/** Whether its figures hold: it had closed when it was rolled up, or was past without data at the shard's last rollup. */
export const isSettled = ({ row, closesAt, rolledUpAt }: FoundDay): boolean =>
  row !== null ? !isOpen(row) : closesAt !== null && rolledUpAt !== null && closesAt <= rolledUpAt

/** The instant up to which time counts in what is stored; null where nothing has been rolled up of the day. */
export function asOfOf(found: FoundDay): number | null {
  const { row, end, closesAt, rolledUpAt } = found
  if (isSettled(found)) return Math.min(closesAt ?? end, rolledUpAt ?? Infinity)
  if (row === null) return null
  // Of a day that had not begun, the instant of its rollup is not kept.
  return row.passedMs > 0 ? row.startAt + row.passedMs : Math.min(row.startAt, rolledUpAt ?? Infinity)
}
