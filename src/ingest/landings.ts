import type { Landing as StoreLanding } from '../store/landing.ts'
import { type IncomingBatch, Landing, type LandingOptions, type LandingResult } from './landing.ts'

/** Lands batches of no import and of several imports: what shares a commit is all of one import. */
export class Landings {
  readonly #store: StoreLanding
  readonly #options: LandingOptions
  readonly #usual: Landing
  /** By id of the import; only imports with a batch in hand, so that their number is bounded. */
  readonly #ofImports = new Map<string, { landing: Landing; inHand: number }>()

  constructor(store: StoreLanding, options: LandingOptions) {
    this.#store = store
    this.#options = options
    this.#usual = new Landing(store, options)
  }

  /** Does what Landing.land does. */
  land(batch: IncomingBatch): Promise<LandingResult> {
    return batch.import == null ? this.#usual.land(batch) : this.#landImported(batch, batch.import)
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
