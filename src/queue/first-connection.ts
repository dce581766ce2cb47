import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisClient } from './redis-client.ts'

const FIRST_CONNECTION_MS = 5000

/** Waits until the first try to connect succeeds or fails, 5 s at most, so that a starting service refuses no calls. */
export function firstConnection(connection: RedisClient): Promise<unknown> {
  const settled = new Promise<void>((resolve) => {
    connection.once('ready', resolve)
    connection.once('error', () => resolve())
  })
  return Promise.race([settled, sleep(FIRST_CONNECTION_MS, undefined, { ref: false })])
}
