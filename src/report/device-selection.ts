import { includesLabels, type Labels } from '../base/labels.ts'
import { zoneOf } from '../base/zone.ts'
import type { Device } from '../store/registry.ts'

/** Selects devices by all of its parts; without any part, all devices. */
export interface DeviceSelection {
  ids?: readonly string[]
  /** Beginning of the id. */
  prefix?: string
  /** IANA zone of the device at the end of the day, or of the last day of a range. */
  timezone?: string
  /** The device has all of these labels. */
  labels?: Labels
}

/** Tells whether a selection includes a device. `timezone` returns its zone, and is called only if the zone matters. */
export type Selects = (device: Pick<Device, 'id' | 'labels'>, timezone: () => string) => boolean

/** Returns a function that tells whether a selection includes a device. */
export function selects({ ids, prefix = '', timezone, labels = {} }: DeviceSelection = {}): Selects {
  const asked = ids === undefined ? null : new Set(ids)
  const zone = timezone === undefined ? null : zoneOf(timezone)
  return (device, zoneOfDevice) =>
    asked?.has(device.id) !== false &&
    device.id.startsWith(prefix) &&
    includesLabels(device.labels, labels) &&
    (zone === null || zoneOf(zoneOfDevice()) === zone)
}
