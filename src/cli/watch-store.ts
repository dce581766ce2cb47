import { CoolerError } from '../errors.ts'
import type { Store } from '../open-store.ts'

const LOOK_EVERY_MS = 5000

/**
 * Looks now and then whether a newer program has migrated the store, which refuses what this one writes from then on:
 * `onTooNew` hears of it once. Without that, who only reads would go on misreading. Gives what ends it.
 */
export function watchStore(
  store: Store,
  onTooNew: (error: CoolerError) => void,
  onError: (error: Error) => void,
): () => void {
  const timer = setInterval(() => {
    try {
      store.refuseNewer()
    } catch (error) {
      if (!(error instanceof CoolerError)) return onError(error as Error)
      clearInterval(timer)
      onTooNew(error)
    }
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
