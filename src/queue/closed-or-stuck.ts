import type { Redis } from 'ioredis'

/** How long a part of BullMQ is waited for while there is nothing that it could still finish. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 100

/**
 * Resolves when a part of BullMQ has closed, and also where it cannot: because Redis is away, or because Redis was just
 * coming back (half of the connections that are closed then never say so, bullmq 6.7). What a worker could not
 * acknowledge is delivered again, which does no harm. `connection` tells whether Redis is there, `inHand` how many
 * jobs are still at work.
 */
export function closedOrStuck(closing: Promise<unknown>, connection: Redis, inHand = () => 0): Promise<void> {
  return new Promise((resolve) => {
    let idleMs = 0
    const timer = setInterval(() => {
      const atWork = connection.status === 'ready' && inHand() > 0
      idleMs = atWork ? 0 : idleMs + LOOK_EVERY_MS
      if (idleMs >= PATIENCE_MS) end()
    }, LOOK_EVERY_MS)
    const end = (): void => {
      clearInterval(timer)
      resolve()
    }
    closing.then(end, end)
  })
}
