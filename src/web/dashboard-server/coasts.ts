import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { feature } from 'topojson-client'

type Point = readonly [lon: number, lat: number]

/** Degrees of longitude around the world. */
const AROUND = 360
/** Decimal places of degrees that are kept: a hundredth is about a kilometre. */
const HUNDREDTHS = 100

/** Returns the coasts of the world as rings of [latitude, longitude] in degrees, cut at the antimeridian. */
export function readCoasts(): [lat: number, lon: number][][] {
  const path = createRequire(import.meta.url).resolve('world-atlas/land-110m.json')
  const topology = JSON.parse(readFileSync(path, 'utf8'))
  const land = feature(topology, topology.objects.land) as unknown as {
    features: { geometry: { coordinates: Point[][][] } }[]
  }
  const rings = land.features.flatMap(({ geometry }) => geometry.coordinates.flat())
  return rings.flatMap(cutAtAntimeridian).map((ring) => ring.map(([lon, lat]) => [rounded(lat), rounded(lon)]))
}

/**
 * Follows a coast beyond the antimeridian, and cuts what it encloses there. The coast of Antarctica goes once around the
 * world: it is closed along the pole.
 */
export function cutAtAntimeridian(ring: readonly Point[]): (readonly Point[])[] {
  let turns = 0
  const followed = ring.map(([lon, lat], nth): Point => {
    const step = nth === 0 ? 0 : lon - ring[nth - 1][0]
    if (Math.abs(step) > AROUND / 2) turns -= Math.sign(step)
    return [lon + turns * AROUND, lat]
  })
  if (turns !== 0) {
    const [first, last] = [followed[0], followed[followed.length - 1]]
    followed.push([last[0], -90], [first[0], -90])
  }
  return [-AROUND, 0, AROUND]
    .map((by) => clipped(followed.map(([lon, lat]): Point => [lon + by, lat])))
    .filter((part) => part.length > 2)
}

/** Returns the part of a polygon from 180 degrees west to 180 degrees east (Sutherland and Hodgman's clipping). */
function clipped(ring: readonly Point[]): readonly Point[] {
  return [-1, 1].reduce((points: readonly Point[], side) => {
    const isInside = ([lon]: Point): boolean => side * lon <= AROUND / 2
    return points.flatMap((point, nth) => {
      const before = points.at(nth - 1) as Point
      const crossing = isInside(before) === isInside(point) ? [] : [at((side * AROUND) / 2, before, point)]
      return isInside(point) ? [...crossing, point] : crossing
    })
  }, ring)
}

/** Returns the point of a line at a longitude. */
const at = (lon: number, [fromLon, fromLat]: Point, [toLon, toLat]: Point): Point => [
  lon,
  fromLat + ((lon - fromLon) / (toLon - fromLon)) * (toLat - fromLat),
]

const rounded = (degrees: number): number => Math.round(degrees * HUNDREDTHS) / HUNDREDTHS
