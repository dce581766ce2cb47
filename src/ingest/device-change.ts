import { CoolerError } from '../base/errors.ts'
import { checkLabels, type Labels } from '../base/labels.ts'
import { millisecondsInDay } from '../base/time.ts'
import { checkEvent } from '../event/check-event.ts'
import { EventBatch } from '../event/event-batch.ts'
import { fieldsOf } from '../event/fields.ts'
import { parseRfc3339 } from '../event/parse-at.ts'
import type { Placement } from '../event/placement.ts'
import type { Device, DeviceChange } from '../store/registry.ts'

/** Most placements that one device may have. */
export const MOST_PLACEMENTS = 1000

/** How far ahead a placement or a retirement may be planned: ten years. */
const FUTURE_MS = 3_653 * millisecondsInDay

const EARLIEST = parseRfc3339('2000-01-01T00:00:00Z') as number

const PLACEMENT_FIELDS = ['at', 'seq', ...Object.keys(fieldsOf('placement'))]

/** A change of a device as a request or a file states it. Fields that are left out stay as they are. */
export interface AskedChange {
  /** All of its placements, not checked yet. */
  placements?: readonly unknown[] | undefined
  /** True retires the device now, false puts it back into use; not allowed together with `retiredAt`. */
  retired?: boolean | undefined
  /** RFC 3339 text or epoch milliseconds, not checked yet; null puts the device back into use. */
  retiredAt?: unknown
  /** All of its labels, not checked yet. */
  labels?: unknown
}

/** Writes a change to the registry. It runs off the event loop, because it may have to wait for the store. */
export type PutDevice = (put: { id: string; change: DeviceChange; now: number }) => Promise<Device>

/** Checks the change of a device and returns it as the registry takes it. @throws CoolerError `bad-request` */
export function changeOf(
  id: string,
  { placements, retired, retiredAt, labels }: AskedChange,
  now: number,
): DeviceChange & { placements?: Placement[] } {
  if (retired !== undefined && retiredAt !== undefined)
    throw new CoolerError('bad-request', 'retired and retiredAt exclude each other')
  return {
    ...(placements === undefined ? {} : { placements: placementsOf(id, placements, now) }),
    ...(retired === undefined ? {} : { retiredAt: retired ? now : null }),
    ...(retiredAt === undefined ? {} : { retiredAt: retirementOf(retiredAt, now) }),
    ...(labels === undefined ? {} : { labels: labelsOf(labels) }),
  }
}

function labelsOf(labels: unknown): Labels {
  try {
    return checkLabels(labels)
  } catch (error) {
    throw new CoolerError('bad-request', (error as Error).message)
  }
}

/** Returns a past or planned instant (epoch ms), or null for a device in use. @throws CoolerError `bad-request` */
function retirementOf(value: unknown, now: number): number | null {
  if (value === null) return null
  const instant = typeof value === 'string' ? parseRfc3339(value) : Number.isInteger(value) ? (value as number) : null
  if (instant !== null && instant >= EARLIEST && instant <= now + FUTURE_MS) return instant
  throw new CoolerError(
    'bad-request',
    'retiredAt must be null, an RFC 3339 text with an offset or epoch milliseconds, from 2000 to ten years ahead',
  )
}

/** Checks placements in the same way as placement events, except that they may be planned ahead (FUTURE_MS). */
function placementsOf(id: string, placements: readonly unknown[], now: number): Placement[] {
  const batch = new EventBatch()
  for (const [index, placement] of placements.entries()) {
    const isObject = typeof placement === 'object' && placement !== null
    if (isObject) refuseUnknownFields(placement, index)
    const event = isObject ? { ...placement, deviceId: id, type: 'placement' } : placement
    const reason = checkEvent(event, { landedAt: now + FUTURE_MS, purgedBefore: 0 }, batch)
    if (reason !== null) throw new CoolerError('bad-request', `placements[${index}]: ${reason}`)
  }
  return batch.placements.map(({ device: _, ...placement }) => placement)
}

/** Refuses unknown fields: a misspelt field would otherwise be dropped without notice. */
function refuseUnknownFields(placement: object, index: number): void {
  const unknown = Object.keys(placement).find((name) => !PLACEMENT_FIELDS.includes(name))
  if (unknown === undefined) return
  const name = JSON.stringify(unknown.slice(0, 100))
  throw new CoolerError(
    'bad-request',
    `placements[${index}]: ${name} is no field of these: ${PLACEMENT_FIELDS.join(', ')}`,
  )
}
