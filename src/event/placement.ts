/** Where a device is meant to stand from `at` on: positions in 1e-7 degree, instants in epoch ms. */
export interface Placement {
  at: number
  /** The event's `seq`, or NO_SEQ. */
  seq: number
  lat: number
  lon: number
  /** IANA name; '' if the placement names no zone, and the default zone applies. */
  zone: string
  address: string | null
}

/** Compares placements of a device by instant, `seq`, then value (RULES.md 2). The last of an instant is in force. */
export const comparePlacements = (one: Placement, other: Placement): number =>
  one.at - other.at ||
  one.seq - other.seq ||
  one.lat - other.lat ||
  one.lon - other.lon ||
  (one.zone < other.zone ? -1 : one.zone > other.zone ? 1 : 0)

/** Returns the placement in force at an instant, or undefined before the first placement. */
export function placementInForce(ordered: readonly Placement[], instant: number): Placement | undefined {
  let inForce: Placement | undefined
  for (const placement of ordered) {
    if (placement.at > instant) break
    inForce = placement
  }
  return inForce
}

/** Returns the placement in force at an instant (epoch ms). Before the first placement, returns the first one. */
export const placementAt = (ordered: readonly Placement[], instant: number): Placement | undefined =>
  placementInForce(ordered, instant) ?? ordered[0]

/** Returns the placements of each device, in the order of comparePlacements. */
export function placementsByDevice(placed: Iterable<readonly [device: number, Placement]>): Map<number, Placement[]> {
  const byDevice = new Map<number, Placement[]>()
  for (const [device, placement] of placed) {
    const list = byDevice.get(device)
    if (list) list.push(placement)
    else byDevice.set(device, [placement])
  }
  for (const list of byDevice.values()) if (list.length > 1) list.sort(comparePlacements)
  return byDevice
}
