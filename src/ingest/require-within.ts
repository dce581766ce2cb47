import { type DeviceLimit, isWithin } from '../base/device-limit.ts'
import { CoolerError } from '../base/errors.ts'
import { headOf } from '../event/check-event.ts'
import type { RawEvent } from './read-batch.ts'

/**
 * Refuses a batch if any of its events names a device outside the limit. Bad events count, too, because they would be
 * kept as rejected events of that device. Events that name no device are left to the checks.
 *
 * @throws CoolerError `forbidden` with the position of the first event outside the limit.
 */
export function requireWithin(events: readonly RawEvent[], limit: DeviceLimit): void {
  const index = events.findIndex(({ value }) => {
    const { deviceId } = headOf(value)
    return deviceId !== null && !isWithin(limit, deviceId)
  })
  if (index < 0) return
  throw new CoolerError(
    'forbidden',
    `event ${index} (from 0) is of a device that your key is not for: nothing of this batch was taken`,
  )
}
