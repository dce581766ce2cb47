import { type Camera, onCanvas, type Size } from './mercator.ts'
import { cornersOf } from './tile-grid.ts'
import type { TilePicture } from './tile-pictures.ts'

/** A cooler on the map. */
export interface Dot {
  row: number
  x: number
  y: number
  flagged: boolean
}

/** A line from a cooler's position to its placement. */
export interface Tie {
  from: { x: number; y: number }
  to: { x: number; y: number }
}

export interface Scene {
  size: Size
  camera: Camera
  outline: readonly Float64Array[]
  /** Drawn over the outline, which stays visible where tiles are missing. */
  tiles: readonly TilePicture[]
  dots: readonly Dot[]
  ties: readonly Tie[]
  selected: Dot | null
}

type Context = CanvasRenderingContext2D

/** With more dots of a kind, dots are small squares: a browser draws squares ten times as fast as shapes. */
const MANY = 2000

/** Draws the map in the colours of the page. */
export function paintMap(context: Context, scene: Scene, style: CSSStyleDeclaration): void {
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  context.fillStyle = colour('--sea')
  context.fillRect(0, 0, scene.size.width, scene.size.height)
  paintLand(context, scene, colour('--land'), colour('--shore'))
  paintTiles(context, scene)
  const strokes = (line: string, width: number) => strokesOf(scene, { line, width, edge: colour('--panel') })
  for (const stroke of strokes(colour('--flag'), 1.5)) paintTies(context, scene, stroke)
  paintDots(context, scene, { flagged: false, colour: colour('--accent'), edge: colour('--panel') })
  paintDots(context, scene, { flagged: true, colour: colour('--flag'), edge: colour('--panel') })
  if (scene.selected === null) return
  const { x, y } = onCanvas(scene.selected, scene.camera, scene.size)
  for (const { colour: strokeStyle, width: lineWidth } of strokes(colour('--text'), 2)) {
    Object.assign(context, { strokeStyle, lineWidth })
    context.beginPath()
    context.arc(x, y, 11, 0, 2 * Math.PI)
    context.stroke()
  }
}

interface Stroke {
  colour: string
  width: number
}

/** Returns the strokes of a line. On tiles, which may have any colour and brightness, the line gets an edge. */
function strokesOf({ tiles }: Scene, { line, width, edge }: { line: string; width: number; edge: string }): Stroke[] {
  const stroke = { colour: line, width }
  return tiles.length === 0 ? [stroke] : [{ colour: edge, width: width + 3 }, stroke]
}

function paintLand(context: Context, { camera, size, outline }: Scene, land: string, shore: string): void {
  const { scale } = camera
  const origin = onCanvas({ x: 0, y: 0 }, camera, size)
  context.beginPath()
  for (const ring of outline) {
    context.moveTo(origin.x + ring[0] * scale, origin.y + ring[1] * scale)
    for (let at = 2; at < ring.length; at += 2) {
      context.lineTo(origin.x + ring[at] * scale, origin.y + ring[at + 1] * scale)
    }
    context.closePath()
  }
  context.fillStyle = land
  context.fill('evenodd')
  context.strokeStyle = shore
  context.lineWidth = 0.75
  context.stroke()
}

/** Paints tiles, rounded to whole pixels of the screen, so that no seams show between them. */
function paintTiles(context: Context, { tiles, camera, size }: Scene): void {
  const whole = (pixels: number): number => Math.round(pixels * devicePixelRatio) / devicePixelRatio
  for (const { tile, image, part } of tiles) {
    const { naturalWidth: width, naturalHeight: height } = image
    const [start, end] = cornersOf(tile, camera, size).map(({ x, y }) => ({ x: whole(x), y: whole(y) }))
    const from = [part.x * width, part.y * height, part.edge * width, part.edge * height] as const
    context.drawImage(image, ...from, start.x, start.y, end.x - start.x, end.y - start.y)
  }
}

function paintTies(context: Context, { ties, camera, size }: Scene, { colour, width }: Stroke): void {
  context.strokeStyle = colour
  context.lineWidth = width
  for (const { from, to } of ties) {
    const [start, end] = [onCanvas(from, camera, size), onCanvas(to, camera, size)]
    context.beginPath()
    context.setLineDash([4, 3])
    context.moveTo(start.x, start.y)
    context.lineTo(end.x, end.y)
    context.stroke()
    context.setLineDash([])
    context.strokeRect(end.x - 4, end.y - 4, 8, 8)
  }
}

interface Look {
  flagged: boolean
  colour: string
  edge: string
}

/** Paints dots. Flagged dots are larger, and triangles, so that colour alone does not tell them apart. */
function paintDots(context: Context, { dots, camera, size }: Scene, { flagged, colour, edge }: Look): void {
  const shown = dots.filter((dot) => dot.flagged === flagged)
  const many = shown.length > MANY
  const radius = many ? (flagged ? 2.5 : 1.5) : flagged ? 7 : 4
  context.fillStyle = colour
  context.strokeStyle = edge
  context.lineWidth = 1
  for (const dot of shown) {
    const { x, y } = onCanvas(dot, camera, size)
    if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue
    if (many) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
    else paintShape(context, { x, y, radius }, flagged)
  }
}

function paintShape(
  context: Context,
  { x, y, radius }: { x: number; y: number; radius: number },
  flagged: boolean,
): void {
  context.beginPath()
  if (flagged) {
    context.moveTo(x, y - radius)
    context.lineTo(x + radius, y + radius * 0.8)
    context.lineTo(x - radius, y + radius * 0.8)
    context.closePath()
  } else context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
  context.stroke()
}
