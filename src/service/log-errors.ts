import type { Logger } from 'pino'

/** Longest silence between two lines about the same error. */
const REPEAT_MS = 10_000

/**
 * Logs errors that come in floods (a lost Redis tells thousands a second): each message at most every ten seconds, with
 * how often it came meanwhile.
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
