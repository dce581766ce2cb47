import { type BodyPlace, damaged, unseal } from '../base/checksum.ts'
import { CoolerError } from '../base/errors.ts'
import { formatDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import type { DamagedEvents } from './archive.ts'
import { groupOf } from './codec/device-group.ts'

/** A stored body of events, and what is known about it without decoding it. */
export interface StoredBody {
  body: Buffer
  shard: number
  damage: DamagedEvents
}

/**
 * Checks the seal of a body for its place and decodes it; returns null if it is damaged and `onDamaged` was called.
 *
 * @throws CoolerError `store-damaged` without `onDamaged`
 */
export function decodeBody(
  { body, shard, damage }: StoredBody,
  place: BodyPlace,
  decode: (body: Buffer) => EventColumns,
  onDamaged?: (damage: DamagedEvents) => void,
): EventColumns | null {
  try {
    return decode(unseal(body, place))
  } catch (error) {
    if (onDamaged === undefined) throw damagedEvents(shard, damage, error)
    onDamaged(damage)
    return null
  }
}

/** Tells whether an error reports a damaged part of the store. */
export const isDamage = (error: unknown): error is CoolerError =>
  error instanceof CoolerError && error.code === 'store-damaged'

/** Makes the error for raw events that cannot be read. */
export const damagedEvents = (shard: number, damage: DamagedEvents, cause?: unknown) =>
  damaged(eventsText(shard, damage), cause)

/** Tells whether damaged events of a device's shard may belong to that device. */
export const isOf = ({ group }: DamagedEvents, device: number, shards: number): boolean =>
  group === null || group === groupOf(device, shards)

/** Describes damaged events for people. */
export const eventsText = (shard: number, { events, utcDay, group }: DamagedEvents): string =>
  `${events} raw events of shard ${shard}, UTC day ${formatDay(utcDay)}${group === null ? '' : `, device group ${group}`}`
