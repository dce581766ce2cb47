import { type DeviceLimit, isWithin } from '../base/device-limit.ts'
import { CoolerError } from '../base/errors.ts'
import { headOf } from '../event/check-event.ts'
import type { RawEvent } from './read-batch.ts'

/**
 * Lets a batch pass only if none of its events names a device beyond the limit: good events and bad ones, which would be
 * kept as rejected events of that device. What names no device at all is left to the checks.
 *
 * @throws CoolerError `forbidden` with the place of the first such event.
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
