import { worldX, worldY } from './mercator.ts'

/** The TopoJSON of Natural Earth's land: arcs of whole numbers, each point as its difference from the previous one. */
interface Topology {
  transform: { scale: [number, number]; translate: [number, number] }
  arcs: [number, number][][]
  objects: { land: { geometries: { arcs: number[][][] }[] } }
}

/** Returns the coasts of the world as rings of points on the map (0 to 1), with x and y alternating. */
export function outlineOf({ transform, arcs, objects }: Topology): Float64Array[] {
  const lines = arcs.map((arc) => absolute(arc, transform))
  const polygons = objects.land.geometries.flatMap((geometry) => geometry.arcs)
  return polygons.flatMap((rings) => rings.flatMap((ring) => onBothEdges(joined(ring, lines))))
}

type Point = readonly [x: number, y: number]

function absolute(arc: readonly [number, number][], { scale, translate }: Topology['transform']): Point[] {
  let [lon, lat] = [0, 0]
  return arc.map(([dx, dy]) => {
    lon += dx
    lat += dy
    return [worldX(lon * scale[0] + translate[0]), worldY(lat * scale[1] + translate[1])] as const
  })
}

/** Joins arcs to a ring. A negative number is a reversed arc; the first point of an arc repeats the last one before. */
function joined(ring: readonly number[], lines: readonly (readonly Point[])[]): Point[] {
  return ring.flatMap((arc, nth) => {
    const line = arc < 0 ? lines[~arc].toReversed() : lines[arc]
    return nth === 0 ? line : line.slice(1)
  })
}

/**
 * Follows a coast beyond the edge at which it leaves the map, and adds a copy that comes in at the other edge. The
 * coast of Antarctica goes once around the world, and stays as it is.
 */
function onBothEdges(points: readonly Point[]): Float64Array[] {
  let shift = 0
  const followed = points.map(([x, y], nth): Point => {
    const step = nth === 0 ? 0 : x - points[nth - 1][0]
    if (Math.abs(step) > 0.5) shift -= Math.sign(step)
    return [x + shift, y]
  })
  if (shift !== 0) return [Float64Array.from(points.flat())]
  const copies = [0]
  if (followed.some(([x]) => x > 1)) copies.push(-1)
  if (followed.some(([x]) => x < 0)) copies.push(1)
  return copies.map((by) => Float64Array.from(followed.flatMap(([x, y]) => [x + by, y])))
}

/** Loads the coasts of the world as rings of points on the map. */
export const readOutline = async (signal: AbortSignal): Promise<Float64Array[]> =>
  outlineOf((await (await fetch('/dashboard/land.json', { signal })).json()) as Topology)
