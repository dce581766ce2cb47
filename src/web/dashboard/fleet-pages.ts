import type { FleetAnswer, FleetRow } from './answers.ts'
import { ask, askNow } from './api.ts'

/** Rows of a page: more than a screen shows. */
const PAGE = 100
/** Rows of a page where all are wanted: the most that the API gives. */
const LARGE_PAGE = 1000

/** The rows of one list of the fleet, which are loaded page by page as they come into sight. */
export class FleetPages {
  readonly #path: string
  readonly #signal: AbortSignal
  readonly #onPage: (from: number, to: number) => void
  readonly #onFailure: (error: unknown) => void
  readonly #rows = new Map<number, FleetRow>()
  readonly #asked = new Set<number>()

  private constructor(
    path: string,
    signal: AbortSignal,
    onPage: (from: number, to: number) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#path = path
    this.#signal = signal
    this.#onPage = onPage
    this.#onFailure = onFailure
  }

  /** Loads the first page of a list. Each later page, once it is loaded, is reported to `onPage` as its rows [from, to). */
  static async open(
    path: string,
    signal: AbortSignal,
    onPage: (from: number, to: number) => void,
    onFailure: (error: unknown) => void,
  ): Promise<{ answer: FleetAnswer; pages: FleetPages }> {
    const pages = new FleetPages(path, signal, onPage, onFailure)
    const answer = await ask<FleetAnswer>(pages.#pathOf(0, PAGE), { signal })
    pages.#asked.add(0)
    pages.#keep(0, answer)
    return { answer, pages }
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
      ask<FleetAnswer>(this.#pathOf(offset, PAGE), { signal: this.#signal })
        .then((answer) => {
          this.#keep(offset, answer)
          this.#onPage(offset, offset + answer.rows.length)
        })
        .catch((error) => {
          this.#asked.delete(page)
          this.#onFailure(error)
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

  #pathOf(offset: number, limit: number): string {
    return `${this.#path}&offset=${offset}&limit=${limit}`
  }

  #keep(offset: number, { rows }: FleetAnswer): void {
    for (const [nth, row] of rows.entries()) this.#rows.set(offset + nth, row)
  }
}
