import type { DeviceAnswer } from './answers.ts'
import { millisecondsOf } from './days.ts'
import { plainNumber } from './number.ts'

/** The placement in force at an instant (epoch ms); they are in the order in which they begin. */
export const placementAt = (
  { placements }: DeviceAnswer,
  now: number,
): DeviceAnswer['placements'][number] | undefined => placements.findLast(({ at }) => millisecondsOf(at) <= now)

/** Returns a position as `latitude, longitude`, in decimal degrees. */
export const degrees = (lat: number, lon: number): string => `${plainNumber(lat, 5)}, ${plainNumber(lon, 5)}`
