import type { Labels } from '../base/labels.ts'
import type { Placement } from '../event/placement.ts'

export interface Device {
  number: number
  id: string
  /** Epoch ms. */
  registeredAt: number
  retiredAt: number | null
  labels: Labels
}

/** The new values of a device; values that are not given stay. */
export interface DeviceChange {
  /** The new list of all its placements. */
  placements?: readonly Placement[]
  /** Epoch ms, or null for a device in use. */
  retiredAt?: number | null
  /** All of its labels. */
  labels?: Labels
}

/** The id and the labels of a device that has some. */
export type LabelledDevice = Pick<Device, 'id' | 'labels'>

export interface RegistryReads {
  /** Grows with every change of a device or placement: data read under an older version may be stale. */
  version(): Promise<number>
  /** Returns the number of devices. */
  count(): Promise<number>
  /**
   * Returns for each shard how many device numbers it has given, those of erased devices included. The n-th number of a
   * shard is n * shards + shard (see placeOf), without gaps.
   */
  numberCounts(): Promise<number[]>
  /** Returns all devices in ascending order of their ids. */
  devices(): Promise<Device[]>
  /** Returns at most `limit` devices in ascending order of their ids, starting after the id `after`. */
  devicesAfter(after: string | null, limit: number): Promise<Device[]>
  device(id: string): Promise<Device | null>
  /** Returns the devices with these ids, in the order of the ids; unknown ids are left out. */
  devicesOf(ids: readonly string[]): Promise<Device[]>
  /** Grows with every change of labels. */
  labelsVersion(): Promise<number>
  /** Returns the devices that have labels. Costs reading those alone. */
  labelled(): Promise<LabelledDevice[]>
  /** Returns the ids of device numbers; unknown numbers are left out. */
  ids(devices: readonly number[]): Promise<Map<number, string>>
  /** Returns the ordered placements of some devices, of all, or of a shard; devices without any are left out. */
  placements(devices: readonly number[]): Promise<Map<number, Placement[]>>
  allPlacements(): Promise<Map<number, Placement[]>>
  placementsOfShard(shard: number): Promise<Map<number, Placement[]>>
  /** Returns the devices of a shard, ascending by number. */
  devicesOfShard(shard: number): Promise<Device[]>
  /** Returns the zones that placements name, as they spell them; includes '' if a placement names no zone. */
  zones(): Promise<string[]>
}

/** The devices, and where each is meant to stand. */
export interface Registry extends RegistryReads {
  /**
   * Registers a device if it is new, and replaces the given values: its whole list of placements, whether it is retired
   * (epoch ms or null), all of its labels. Days that become due are written in the same transaction. A removed placement stays removed,
   * even if its event is delivered again.
   */
  put(id: string, change: DeviceChange, now: number): Promise<Device>
}
