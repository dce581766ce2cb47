import { CoolerError } from '../base/errors.ts'
import { instantOrNull } from '../base/time.ts'
import type { Static } from '../base/typebox.ts'
import { deviceEvents, type EventSpan } from '../store/device-events.ts'
import type { Snapshot } from '../store/view.ts'
import type { PageCursor } from './page.ts'
import type { LANDED_READING } from './schema/parts.ts'

export interface ReadingsRequest extends EventSpan {
  deviceId: string
  /** Most readings, 1 or more. */
  limit: number
  after: PageCursor | null
}

type LandedReading = Static<typeof LANDED_READING>

/** A page of the readings of a device. */
export interface DeviceReadings {
  readings: LandedReading[]
  next: string | null
  purgedBefore: string | null
}

/**
 * Returns a page of the landed readings of a device in order, repeats marked, from one state of the store. Costs reading
 * the UTC days of the page (see deviceEvents).
 *
 * @throws CoolerError `not-found`, `store-damaged`
 */
export function deviceReadings(
  stores: { snapshot: Snapshot },
  { deviceId, fromAt, toAt, limit, after }: ReadingsRequest,
): Promise<DeviceReadings> {
  return stores.snapshot(async ({ registry, archive }) => {
    const device = await registry.device(deviceId)
    if (device === null) throw new CoolerError('not-found', `no such device: ${JSON.stringify(deviceId)}`)
    const purgedBefore = await archive.purgedBefore()
    const page: Omit<DeviceReadings, 'purgedBefore'> = { readings: [], next: null }
    const last: PageCursor = { at: -1, place: 0 }
    const span = { fromAt: Math.max(fromAt, after?.at ?? 0), toAt }
    for await (const { at, event, isRepeat } of deviceEvents(archive, device.number, span)) {
      if (page.readings.length === limit) {
        page.next = `${last.at}-${last.place}`
        break
      }
      last.place = at === last.at ? last.place + 1 : 0
      last.at = at
      if (after !== null && at === after.at && last.place <= after.place) continue
      page.readings.push({ ...(event as LandedReading), ...(isRepeat ? { repeat: true } : {}) })
    }
    return { ...page, purgedBefore: instantOrNull(purgedBefore > fromAt ? purgedBefore : null) }
  })
}
