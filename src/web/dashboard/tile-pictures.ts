import type { Camera, Size } from './mercator.ts'
import { above, partOf, type Tile, type TilePart, tilesInView } from './tile-grid.ts'

/** Where pictures of tiles are, and whose they are. */
export interface TileServer {
  template: string
  attribution: string
}

/** What the page says of a tile server; null where it names none. */
export function tileServerOf({ dataset }: HTMLElement): TileServer | null {
  const { mapTiles: template, mapAttribution: attribution = '' } = dataset
  return template === undefined ? null : { template, attribution }
}

/** A picture of a tile, or of one around it, of which the tile is a part. */
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

/** The tiles of what is looked at: loaded as they come into view, and kept for a while behind it. */
export class TilePictures {
  readonly #template: string
  readonly #onChange: () => void
  /** By their addresses; those not looked at for longest come first. */
  readonly #held = new Map<string, Held>()

  /** `onChange` is called as pictures come in, until `signal` ends all loading. */
  constructor(template: string, { signal, onChange }: { signal: AbortSignal; onChange: () => void }) {
    this.#template = template
    this.#onChange = onChange
    signal.addEventListener('abort', () => this.#drop(new Set(), 0))
  }

  /** What there is of a view; the rest is asked for, and what is still coming of other views given up. */
  inView(camera: Camera, size: Size): TilePicture[] {
    const used = new Set<string>()
    const pictures = tilesInView(camera, size).map((tile) => this.#pictureOf(tile, used))
    this.#drop(used, MOST_HELD)
    return pictures.filter((picture) => picture !== null)
  }

  /** As long as a tile has not come, the nearest around it that is there. Nothing of a tile that nobody has. */
  #pictureOf(tile: Tile, used: Set<string>): TilePicture | null {
    let isAsked = true
    for (let outer = tile; outer.z >= 0; outer = above(outer)) {
      const url = this.#urlOf(outer)
      const held: Held | undefined = isAsked ? this.#asked(url) : this.#held.get(url)
      if (held !== undefined) used.add(url)
      if (held?.state === 'there') return { tile, image: held.image, part: partOf(outer, tile) }
      // Many servers have nothing so close, but what is around it.
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
    // Some servers give nothing to a page that does not say where it is from. What it shows, it does not say.
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

  /** Ends what is still coming, and forgets the oldest beyond `most`, all but those in use. */
  #drop(used: ReadonlySet<string>, most: number): void {
    for (const [url, { image, state }] of this.#held) {
      if (used.has(url) || (state !== 'coming' && this.#held.size <= most)) continue
      this.#held.delete(url)
      image.removeAttribute('src')
    }
  }
}
