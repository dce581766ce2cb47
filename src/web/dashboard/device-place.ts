import type { DeviceAnswer } from './answers.ts'
import { millisecondsOf } from './days.ts'
import { h } from './dom.ts'
import { instantNode, nothing } from './format.ts'
import { say } from './messages.ts'
import { plainNumber } from './number.ts'

/** Returns the placement in force at an instant (epoch ms). Placements must be in the order of their starts. */
export const placementAt = (
  { placements }: DeviceAnswer,
  now: number,
): DeviceAnswer['placements'][number] | undefined => placements.findLast(({ at }) => millisecondsOf(at) <= now)

/** Returns a position as `latitude, longitude`, in decimal degrees. */
export const degrees = (lat: number, lon: number): string => `${plainNumber(lat, 5)}, ${plainNumber(lon, 5)}`

interface Placed {
  placement: { lat: number; lon: number; at: string } | null
  address: string | null
  lastHeardAt: string | null
}

/** Returns when a cooler was last heard and where it is meant to stand, by the clock of a zone, for a list of facts. */
export const placeFacts = ({ placement, address, lastHeardAt }: Placed, zone: string): [string, Node | string][] => [
  [say('last-heard'), lastHeardAt === null ? say('never-heard') : instantNode(lastHeardAt, zone)],
  [say('placement'), placement === null ? say('never-placed') : degrees(placement.lat, placement.lon)],
  [say('placed-since'), placement === null ? nothing() : instantNode(placement.at, zone)],
  [say('address'), address === null ? nothing() : h('bdi', {}, address)],
]
