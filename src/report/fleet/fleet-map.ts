import type { ExceptionName } from '../../base/exceptions.ts'

/** Tells where a device is meant to stand, in decimal degrees, and its exceptions. */
export interface FleetPoint {
  id: string
  lat: number
  lon: number
  exceptions: ExceptionName[]
  /** Whether there is a fix, so that it is known whether it has moved. */
  isKnown: boolean
}

/** The devices that match, on a map. */
export interface FleetMap {
  matching: number
  /** Number of these without a placement, and so without a point. */
  unplaced: number
  points: FleetPoint[]
}
