import type { FleetAnswer, FleetRow } from './answers.ts'
import { ask, askNow } from './api.ts'

/** Rows of a page: more than a screen shows. */
const PAGE = 100
/** Rows of a page where all are wanted: the most that the API gives. */
const LARGE_PAGE = 1000

interface PagesParts {
  /** The list, as a path of the API with a query. */
  path: string
  signal: AbortSignal
  /** Called when a later page is loaded, with its rows [from, to). */
  onPage: (from: number, to: number) => void
  onFailure: (error: unknown) => void
}

/** The rows of one list of the fleet, which are loaded page by page as they come into sight. */
export class FleetPages {
  readonly #parts: PagesParts
  readonly #rows = new Map<number, FleetRow>()
  readonly #asked = new Set<number>([0])

  private constructor(parts: PagesParts) {
    this.#parts = parts
  }

  /** Loads the first page of a list. */
  static async open(parts: PagesParts): Promise<{ answer: FleetAnswer; pages: FleetPages }> {
    const pages = new FleetPages(parts)
    return { answer: await pages.#load(0), pages }
  }

  /** Returns a row, or undefined until it is loaded. */
  row(place: number): FleetRow | undefined {
    return this.#rows.get(place)
  }

  /** Loads what is missing of the rows [from, to). */
  want(from: number, to: number): void {
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page++) {
      if (this.#asked.has(page)) continue
      this.#asked.add(page)
      const offset = page * PAGE
      this.#load(offset)
        .then(({ rows }) => this.#parts.onPage(offset, offset + rows.length))
        .catch((error) => {
          this.#asked.delete(page)
          this.#parts.onFailure(error)
        })
    }
  }

  /** Loads all rows before it returns, for printing, which waits for nothing. */
  loadAllNow(count: number): void {
    for (let offset = 0; offset < count; offset += LARGE_PAGE) {
      const end = Math.min(count, offset + LARGE_PAGE)
      let isMissing = false
      for (let place = offset; place < end; place++) isMissing ||= !this.#rows.has(place)
      if (isMissing) this.#keep(offset, askNow<FleetAnswer>(this.#pathOf(offset, LARGE_PAGE)))
    }
  }

  async #load(offset: number): Promise<FleetAnswer> {
    const answer = await ask<FleetAnswer>(this.#pathOf(offset, PAGE), { signal: this.#parts.signal })
    this.#keep(offset, answer)
    return answer
  }

  #pathOf(offset: number, limit: number): string {
    return `${this.#parts.path}&offset=${offset}&limit=${limit}`
  }

  #keep(offset: number, { rows }: FleetAnswer): void {
    for (const [nth, row] of rows.entries()) this.#rows.set(offset + nth, row)
  }
}
