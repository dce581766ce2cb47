/** Projects a longitude onto a world map from 0,0 (north-west) to 1,1, the projection of web tiles (EPSG:3857). */
export const worldX = (lon: number): number => (lon + 180) / 360

/** Latitude at which the map ends, where it is as high as it is wide. The poles would be infinitely far away. */
const NORTHMOST = 85.0511

/** Projects a latitude onto the same map: 0 at the top, 1 at the bottom. */
export function worldY(lat: number): number {
  const radians = (Math.max(-NORTHMOST, Math.min(NORTHMOST, lat)) * Math.PI) / 180
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI)
}

/** The part of the world that a canvas shows: the place in its middle, and the width of the world in pixels. */
export interface Camera {
  x: number
  y: number
  scale: number
}

/** Largest scale: a street is shown, and a pixel is some centimetres. */
const CLOSEST = 2 ** 29

export interface Size {
  width: number
  height: number
}

/** Returns the smallest scale: the whole world in the available width. */
export const farthest = ({ width }: Size): number => Math.max(width, 320)

/** Returns a camera that shows all places with a margin; the inhabited world if there are none. */
export function cameraFor(places: readonly { x: number; y: number }[], size: Size): Camera {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)]
  const [west, east] = places.length === 0 ? [0.02, 0.98] : extremes(xs)
  const [north, south] = places.length === 0 ? [worldY(72), worldY(-52)] : extremes(ys)
  // A single place is shown with its town.
  const span = Math.max((east - west) / (size.width * 0.86), (south - north) / (size.height * 0.8), 2 ** -19 / 100)
  return bounded({ x: (west + east) / 2, y: (north + south) / 2, scale: 1 / span }, size)
}

/** Returns the least and greatest value. Math.min cannot take 100 000 arguments. */
function extremes(values: readonly number[]): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}

/** Returns the nearest camera that shows nothing beyond the world. */
export function bounded({ x, y, scale }: Camera, size: Size): Camera {
  const within = (value: number): number => Math.max(0, Math.min(1, value))
  return { x: within(x), y: within(y), scale: Math.max(farthest(size), Math.min(CLOSEST, scale)) }
}

/** Returns a camera zoomed by a factor around a pixel of the canvas, whose place stays where it is. */
export function zoomed(camera: Camera, factor: number, at: { x: number; y: number }, size: Size): Camera {
  const { scale } = bounded({ ...camera, scale: camera.scale * factor }, size)
  const [dx, dy] = [at.x - size.width / 2, at.y - size.height / 2]
  const keep = 1 / camera.scale - 1 / scale
  return bounded({ x: camera.x + dx * keep, y: camera.y + dy * keep, scale }, size)
}

/** Returns a camera moved by a number of pixels. */
export const moved = (camera: Camera, dx: number, dy: number, size: Size): Camera =>
  bounded({ ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale }, size)

/** Returns the position of a map place on the canvas, in pixels. */
export const onCanvas = (place: { x: number; y: number }, { x, y, scale }: Camera, { width, height }: Size) => ({
  x: (place.x - x) * scale + width / 2,
  y: (place.y - y) * scale + height / 2,
})
