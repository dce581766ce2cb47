import type { Redis } from 'ioredis'

/** How long Redis may be away while something closes before it is no longer waited for. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 100

/**
 * Resolves when a part of BullMQ has closed; also where it cannot, because Redis is away: it would wait for ever. What
 * a worker could not acknowledge then is delivered again, which does no harm. `connection` tells whether Redis is there.
 */
export function closedOrAway(closing: Promise<unknown>, connection: Redis): Promise<void> {
  return new Promise((resolve) => {
    let awayMs = 0
    const timer = setInterval(() => {
      awayMs = connection.status === 'ready' ? 0 : awayMs + LOOK_EVERY_MS
      if (awayMs >= PATIENCE_MS) end()
    }, LOOK_EVERY_MS)
    const end = (): void => {
      clearInterval(timer)
      resolve()
    }
    closing.then(end, end)
  })
}
