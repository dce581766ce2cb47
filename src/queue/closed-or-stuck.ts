import type { RedisClient } from './redis-client.ts'

/** Longest wait for a part of BullMQ while it has nothing left to finish. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 100

/**
 * Resolves when a part of BullMQ has closed, or when it cannot close: because Redis is away, or because Redis was just
 * coming back (half of the connections closed at that moment never report it, bullmq 6.7). Jobs that a worker could not
 * acknowledge are delivered again, which does no harm. `connection` shows whether Redis is there, and `inHand` returns
 * the number of jobs still being processed.
 */
export function closedOrStuck(closing: Promise<unknown>, connection: RedisClient, inHand = () => 0): Promise<void> {
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
