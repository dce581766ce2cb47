import type { Logger } from 'pino'

/** Shortest time between two log lines about the same error. */
const REPEAT_MS = 10_000

/**
 * Returns a function that logs errors that come in floods (a lost Redis raises thousands a second). Each message is
 * logged at most every ten seconds, with the number of repeats in between.
 */
export function logErrors(logger: Logger, now: () => number = Date.now): (error: Error) => void {
  const seen = new Map<string, { loggedAt: number; since: number }>()
  return (error) => {
    const known = seen.get(error.message)
    if (known && now() - known.loggedAt < REPEAT_MS) {
      known.since++
      return
    }
    if (seen.size > 1000) seen.clear()
    seen.set(error.message, { loggedAt: now(), since: 0 })
    logger.error({ err: error, ...(known?.since ? { repeated: known.since } : {}) }, 'background error')
  }
}
