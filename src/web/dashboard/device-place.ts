import type { DeviceAnswer } from './answers.ts'
import { millisecondsOf } from './days.ts'
import { plainNumber } from './number.ts'

/** Returns the placement in force at an instant (epoch ms). Placements must be in the order of their starts. */
export const placementAt = (
  { placements }: DeviceAnswer,
  now: number,
): DeviceAnswer['placements'][number] | undefined => placements.findLast(({ at }) => millisecondsOf(at) <= now)

/** Returns a position as `latitude, longitude`, in decimal degrees. */
export const degrees = (lat: number, lon: number): string => `${plainNumber(lat, 5)}, ${plainNumber(lon, 5)}`
