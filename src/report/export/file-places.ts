import { CoolerError } from '../../base/errors.ts'

/**
 * Most files of many devices made at once, because each report stays in memory until its file has been taken. One
 * caller gets only half as many, so that it cannot keep all others waiting.
 */
const MOST_FILES = 8
const MOST_FILES_OF_ONE = 4

/** The places of the files of many devices that are being made. */
export class FilePlaces {
  #files = 0
  readonly #filesOf = new Map<string, number>()

  /** Takes a place for a caller; returns a function to leave it. @throws CoolerError `store-busy` */
  take(who: string | undefined): () => void {
    const own = who === undefined ? 0 : (this.#filesOf.get(who) ?? 0)
    if (own >= MOST_FILES_OF_ONE) {
      throw new CoolerError('store-busy', `${own} files of many devices are being made for you: try again`)
    }
    if (this.#files >= MOST_FILES) {
      throw new CoolerError('store-busy', `${MOST_FILES} files of many devices are being made: try again`)
    }
    this.#count(who, 1)
    return () => this.#count(who, -1)
  }

  #count(who: string | undefined, by: 1 | -1): void {
    this.#files += by
    if (who === undefined) return
    const left = (this.#filesOf.get(who) ?? 0) + by
    if (left > 0) this.#filesOf.set(who, left)
    else this.#filesOf.delete(who)
  }
}
