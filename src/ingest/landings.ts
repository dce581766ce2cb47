import type { Landing as StoreLanding } from '../store/landing.ts'
import { type IncomingBatch, Landing, type LandingOptions, type LandingResult } from './landing.ts'

/** Lands batches with and without an import. Batches share a commit only if they belong to the same import. */
export class Landings {
  readonly #store: StoreLanding
  readonly #options: LandingOptions
  readonly #usual: Landing
  /** By import id. Holds only imports with a batch under way, so that its size is bounded. */
  readonly #ofImports = new Map<string, { landing: Landing; inHand: number }>()

  constructor(store: StoreLanding, options: LandingOptions) {
    this.#store = store
    this.#options = options
    this.#usual = new Landing(store, options)
  }

  /** Lands a batch as Landing.land does, with the same errors. */
  land(batch: IncomingBatch): Promise<LandingResult> {
    return batch.import == null ? this.#usual.land(batch) : this.#landImported(batch, batch.import)
  }

  /** Commits the batches without an import that have come in, without waiting for further ones. */
  commit(): void {
    this.#usual.commit()
  }

  async #landImported(batch: IncomingBatch, note: NonNullable<IncomingBatch['import']>): Promise<LandingResult> {
    const { id } = note
    let own = this.#ofImports.get(id)
    if (own === undefined) {
      own = { landing: new Landing(this.#store, { ...this.#options, import: note }), inHand: 0 }
      this.#ofImports.set(id, own)
    }
    own.inHand++
    try {
      return await own.landing.land(batch)
    } finally {
      own.inHand--
      if (own.inHand === 0) this.#ofImports.delete(id)
    }
  }
}
