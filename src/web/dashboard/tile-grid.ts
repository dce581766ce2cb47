import { type Camera, onCanvas, type Size } from './mercator.ts'

/** A square of the world. Zoom z has 2^z columns, counted from the west, and 2^z rows, counted from the north. */
export interface Tile {
  z: number
  x: number
  y: number
}

/** A part of a tile, in units of the tile's width. */
export interface TilePart {
  x: number
  y: number
  edge: number
}

const TILE_PIXELS = 256
/** Few servers have tiles of a higher zoom. */
const CLOSEST_ZOOM = 19

/** Returns the tiles that cover the view of a camera, at the best zoom, from the middle outwards. */
export function tilesInView(camera: Camera, size: Size): Tile[] {
  const z = Math.max(0, Math.min(CLOSEST_ZOOM, Math.round(Math.log2(camera.scale / TILE_PIXELS))))
  const across = 2 ** z
  const edge = camera.scale / across
  const corner = onCanvas({ x: 0, y: 0 }, camera, size)
  const from = (start: number): number => Math.max(0, Math.floor(-start / edge))
  const to = (start: number, length: number): number => Math.min(across, Math.ceil((length - start) / edge))
  const tiles: Tile[] = []
  for (let y = from(corner.y); y < to(corner.y, size.height); y++) {
    for (let x = from(corner.x); x < to(corner.x, size.width); x++) tiles.push({ z, x, y })
  }
  const away = ({ x, y }: Tile): number => Math.hypot(x + 0.5 - camera.x * across, y + 0.5 - camera.y * across)
  return tiles.sort((one, other) => away(one) - away(other))
}

/** Returns the tile of the next lower zoom that contains this one. */
export const above = ({ z, x, y }: Tile): Tile => ({ z: z - 1, x: x >> 1, y: y >> 1 })

/** Returns the part of `outer` that shows a tile within it. */
export function partOf(outer: Tile, { z, x, y }: Tile): TilePart {
  const across = 2 ** (z - outer.z)
  return { x: x / across - outer.x, y: y / across - outer.y, edge: 1 / across }
}

/** Returns the corners of a tile on the canvas, in pixels. */
export function cornersOf({ z, x, y }: Tile, camera: Camera, size: Size) {
  const corner = (column: number, row: number) => onCanvas({ x: column / 2 ** z, y: row / 2 ** z }, camera, size)
  return [corner(x, y), corner(x + 1, y + 1)] as const
}
