import type { Logger } from 'pino'
import { CoolerError } from '../base/errors.ts'
import type { Pipeline } from './pipeline.ts'

const LOOK_EVERY_MS = 1000

export interface WatchOptions {
  logger: Pick<Logger, 'error' | 'warn'>
  /** Called once when a newer program has migrated the store, which from then on refuses writes from this one. */
  onTooNew: (error: CoolerError) => void
  onError: (error: Error) => void
}

/**
 * Checks every second that the store is in place and has a version that this program reads. A store that was moved,
 * removed or replaced is saved through the connection that is still open. Returns a function that stops the watch and
 * waits for a rescue in progress.
 */
export function watchStore(
  { reader, now, checkCopy }: Pick<Pipeline, 'reader' | 'now' | 'checkCopy'>,
  { logger, onTooNew, onError }: WatchOptions,
): () => Promise<void> {
  let isGone = false
  let isSaved = false
  let rescue: Promise<void> | null = null

  const save = async (): Promise<void> => {
    if (!isGone)
      logger.error({ advice: ADVICE }, "the store's file was moved, removed or replaced: nothing is taken any more")
    isGone = true
    if (isSaved) return
    const rescued = await reader.rescue?.save(now(), checkCopy)
    if (!rescued) return // Another process is saving it.
    isSaved = true
    const advice = `stop all services on this store, \`cooler restore --force ${rescued}\`, and start them again`
    logger.error({ rescued, advice }, 'all that was acknowledged before the store was lost has been saved')
  }
  const look = async (): Promise<void> => {
    try {
      await reader.health.requirePresent()
    } catch {
      return save()
    }
    if (isGone) {
      logger.warn('the store is at its place again: the service goes on')
      reader.rescue?.forgetLoss()
    }
    isGone = isSaved = false
    await reader.health.refuseNewer()
  }

  const timer = setInterval(() => {
    rescue ??= look()
      .catch((error: Error) => {
        if (!(error instanceof CoolerError && error.code === 'store-too-new')) return onError(error)
        clearInterval(timer)
        onTooNew(error)
      })
      .finally(() => {
        rescue = null
      })
  }, LOOK_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await rescue
  }
}

const ADVICE = 'put the same file back, or wait until its contents have been saved beside it, and restore them'
