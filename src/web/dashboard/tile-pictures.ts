import type { Camera, Size } from './mercator.ts'
import { above, partOf, type Tile, type TilePart, tilesInView } from './tile-grid.ts'

/** Address template of tile pictures, and their attribution. */
export interface TileServer {
  template: string
  attribution: string
}

/** Returns the tile server that the page names, or null. */
export function tileServerOf({ dataset }: HTMLElement): TileServer | null {
  const { mapTiles: template, mapAttribution: attribution = '' } = dataset
  return template === undefined ? null : { template, attribution }
}

/** A picture of a tile, or the part of a larger tile's picture that shows it. */
export interface TilePicture {
  tile: Tile
  image: HTMLImageElement
  part: TilePart
}

interface Held {
  image: HTMLImageElement
  state: 'coming' | 'there' | 'failed'
}

/** A picture takes 256 KiB of memory. A large screen shows fewer than 300 at once. */
const MOST_HELD = 320

/** Loads the tiles of the view as they come into sight, and keeps them for a while afterwards. */
export class TilePictures {
  readonly #template: string
  readonly #onChange: () => void
  /** By address, least recently used first. */
  readonly #held = new Map<string, Held>()

  /** Calls `onChange` as pictures arrive, until `signal` ends all loading. */
  constructor(template: string, { signal, onChange }: { signal: AbortSignal; onChange: () => void }) {
    this.#template = template
    this.#onChange = onChange
    signal.addEventListener('abort', () => this.#drop(new Set(), 0))
  }

  /** Returns the available pictures of a view. Requests the missing ones, and cancels those that it does not need. */
  inView(camera: Camera, size: Size): TilePicture[] {
    const used = new Set<string>()
    const pictures = tilesInView(camera, size).map((tile) => this.#pictureOf(tile, used))
    this.#drop(used, MOST_HELD)
    return pictures.filter((picture) => picture !== null)
  }

  /** Returns a tile's picture, or until it has arrived, that of the nearest tile around it; null if there is none. */
  #pictureOf(tile: Tile, used: Set<string>): TilePicture | null {
    let isAsked = true
    for (let outer = tile; outer.z >= 0; outer = above(outer)) {
      const url = this.#urlOf(outer)
      const held: Held | undefined = isAsked ? this.#asked(url) : this.#held.get(url)
      if (held !== undefined) used.add(url)
      if (held?.state === 'there') return { tile, image: held.image, part: partOf(outer, tile) }
      // Many servers lack the closest zooms, but have the tiles around them.
      isAsked &&= held?.state === 'failed'
    }
    return null
  }

  #urlOf({ z, x, y }: Tile): string {
    const numbers: Record<string, number> = { z, x, y }
    return this.#template.replace(/\{([xyz])\}/g, (_, name: string) => String(numbers[name]))
  }

  #asked(url: string): Held {
    const held = this.#held.get(url) ?? this.#loading(url)
    this.#held.delete(url)
    this.#held.set(url, held)
    return held
  }

  #loading(url: string): Held {
    const held: Held = { image: new Image(), state: 'coming' }
    // Some servers refuse pages that do not send their origin. The path, which tells what is shown, is not sent.
    held.image.referrerPolicy = 'strict-origin'
    held.image.src = url
    const became = (state: Held['state']) => () => {
      if (this.#held.get(url) !== held) return
      held.state = state
      this.#onChange()
    }
    void held.image.decode().then(became('there'), became('failed'))
    return held
  }

  /** Cancels pending pictures and drops the oldest beyond `most`, except those in use. */
  #drop(used: ReadonlySet<string>, most: number): void {
    for (const [url, { image, state }] of this.#held) {
      if (used.has(url) || (state !== 'coming' && this.#held.size <= most)) continue
      this.#held.delete(url)
      image.removeAttribute('src')
    }
  }
}
