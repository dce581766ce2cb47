import { type Dot, paintMap, type Tie } from './map-paint.ts'
import { type Camera, cameraFor, moved, onCanvas, type Size, zoomed } from './mercator.ts'
import type { TilePictures } from './tile-pictures.ts'

export interface MapCanvasParts {
  canvas: HTMLCanvasElement
  onPick: (row: number) => void
}

const ZOOM_STEP = 1.6
const ARROW_PIXELS = 60
/** Largest distance at which a pointer hits a dot, wide enough for a finger. */
const REACH_PIXELS = 14

/** Draws coolers on an outline of the world or on map tiles; can be moved and zoomed by pointer, wheel and keys. */
export class MapCanvas {
  dots: readonly Dot[] = []
  ties: readonly Tie[] = []
  outline: readonly Float64Array[] = []
  selected: Dot | null = null
  tiles: TilePictures | null = null
  readonly #parts: MapCanvasParts
  readonly #pointers = new Map<number, { x: number; y: number }>()
  #camera: Camera = { x: 0.5, y: 0.5, scale: 320 }
  #dragged = false
  #touched = false
  #asked = false

  constructor(parts: MapCanvasParts, signal: AbortSignal) {
    this.#parts = parts
    const { canvas } = parts
    const on = <Kind extends keyof HTMLElementEventMap>(
      kind: Kind,
      listen: (event: HTMLElementEventMap[Kind]) => void,
    ) => canvas.addEventListener(kind, listen, { signal, passive: false })
    on('pointerdown', (event) => this.#down(event))
    on('pointermove', (event) => this.#move(event))
    on('pointerup', (event) => this.#up(event))
    on('pointercancel', (event) => void this.#pointers.delete(event.pointerId))
    on('wheel', (event) => {
      event.preventDefault()
      this.zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, pointOf(event))
    })
    on('keydown', (event) => this.#key(event))
    const observer = new ResizeObserver(() => this.#resized())
    observer.observe(canvas)
    signal.addEventListener('abort', () => observer.disconnect())
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(), { signal })
  }

  get size(): Size {
    const { clientWidth, clientHeight } = this.#parts.canvas
    return { width: clientWidth, height: clientHeight }
  }

  /** Shows the whole fleet, unless the user has already moved to a part of it. */
  fit({ always = false } = {}): void {
    if (this.#touched && !always) {
      this.draw()
      return
    }
    this.#touched = false
    this.#look(cameraFor(this.dots, this.size))
  }

  /** Shows one cooler with the places around it. */
  showDot(dot: Dot, beside: readonly { x: number; y: number }[]): void {
    this.#touched = true
    this.#look(cameraFor([dot, ...beside], this.size))
  }

  zoom(factor: number, at = { x: this.size.width / 2, y: this.size.height / 2 }): void {
    this.#touched = true
    this.#look(zoomed(this.#camera, factor, at, this.size))
  }

  /** Draws once for each frame, however often it is called. */
  draw(): void {
    if (this.#asked) return
    this.#asked = true
    requestAnimationFrame(() => {
      this.#asked = false
      this.#paint()
    })
  }

  #look(camera: Camera): void {
    this.#camera = camera
    this.draw()
  }

  #resized(): void {
    const { canvas } = this.#parts
    const { width, height } = this.size
    canvas.width = Math.round(width * devicePixelRatio)
    canvas.height = Math.round(height * devicePixelRatio)
    this.fit()
  }

  #onCanvas(place: { x: number; y: number }): { x: number; y: number } {
    return onCanvas(place, this.#camera, this.size)
  }

  #down(event: PointerEvent): void {
    this.#parts.canvas.setPointerCapture(event.pointerId)
    this.#dragged = this.#pointers.size > 0
    this.#pointers.set(event.pointerId, pointOf(event))
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId)
    if (before === undefined) return
    const now = pointOf(event)
    const [dx, dy] = [now.x - before.x, now.y - before.y]
    if (!this.#dragged && Math.hypot(dx, dy) < 4) return
    this.#dragged = true
    this.#touched = true
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1]
    this.#pointers.set(event.pointerId, now)
    if (other === undefined) {
      this.#look(moved(this.#camera, dx, dy, this.size))
      return
    }
    const factor = distance(now, other) / Math.max(1, distance(before, other))
    this.zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 })
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId)
    if (this.#dragged) return
    const near = this.#nearest(pointOf(event))
    if (near !== null) this.#parts.onPick(near.row)
  }

  #nearest(point: { x: number; y: number }): Dot | null {
    let [found, least]: [Dot | null, number] = [null, REACH_PIXELS]
    for (const dot of this.dots) {
      const away = distance(this.#onCanvas(dot), point)
      if (away < least) [found, least] = [dot, away]
    }
    return found
  }

  #key(event: KeyboardEvent): void {
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [1, 0],
      ArrowRight: [-1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    }
    const arrow = arrows[event.key]
    if (arrow !== undefined) {
      this.#touched = true
      this.#look(moved(this.#camera, arrow[0] * ARROW_PIXELS, arrow[1] * ARROW_PIXELS, this.size))
    } else if (event.key === '+' || event.key === '=') this.zoom(ZOOM_STEP)
    else if (event.key === '-') this.zoom(1 / ZOOM_STEP)
    else return
    event.preventDefault()
  }

  #paint(): void {
    const { canvas } = this.#parts
    const context = canvas.getContext('2d')
    if (context === null || canvas.width === 0) return
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    const { size, outline, dots, ties, selected } = this
    const camera = this.#camera
    const tiles = this.tiles?.inView(camera, size) ?? []
    const scene = { size, outline, tiles, dots, ties, selected, camera }
    paintMap(context, scene, getComputedStyle(canvas))
  }
}

const pointOf = ({ offsetX, offsetY }: MouseEvent): { x: number; y: number } => ({ x: offsetX, y: offsetY })

const distance = (one: { x: number; y: number }, other: { x: number; y: number }): number =>
  Math.hypot(one.x - other.x, one.y - other.y)
