import type { Placement } from '../event/placement.ts'

export interface Device {
  number: number
  id: string
  /** Epoch ms. */
  registeredAt: number
  retiredAt: number | null
}

/** What is to be replaced of a device; what is not given stays. */
export interface DeviceChange {
  /** All of its placements. */
  placements?: readonly Placement[]
  /** Epoch ms, or null for a device in use. */
  retiredAt?: number | null
}

export interface RegistryReads {
  /** Grows with every change of a device or a placement; what was read under an older one may be stale. */
  version(): Promise<number>
  /** How many devices there are. */
  count(): Promise<number>
  /** How many device numbers have been given, from 0 on without a hole: those of erased devices too. */
  numberCount(): Promise<number>
  /** All devices in ascending order of their ids. */
  devices(): Promise<Device[]>
  /** At most `limit` devices in ascending order of their ids, from the first one after `after` on. */
  devicesAfter(after: string | null, limit: number): Promise<Device[]>
  device(id: string): Promise<Device | null>
  /** The devices of these ids, in the order of the ids; ids of no device are left out. */
  devicesOf(ids: readonly string[]): Promise<Device[]>
  /** Ids of some device numbers; numbers of no device are left out. */
  ids(devices: readonly number[]): Promise<Map<number, string>>
  /** Ordered placements of some devices, of all, or of all of a shard; devices without one are left out. */
  placements(devices: readonly number[]): Promise<Map<number, Placement[]>>
  allPlacements(): Promise<Map<number, Placement[]>>
  placementsOfShard(shard: number): Promise<Map<number, Placement[]>>
  /** The zones that placements name, each as it is spelled there; '' among them where one names none. */
  zones(): Promise<string[]>
}

/** Which devices there are and where each is meant to stand. */
export interface Registry extends RegistryReads {
  /**
   * Registers a device where it is new, and replaces what is given: its whole list of placements, whether it is
   * retired (epoch ms or null). What that makes due is written in the same transaction. A removed placement stays
   * removed, also when its event is delivered again.
   */
  put(id: string, change: DeviceChange, now: number): Promise<Device>
}
