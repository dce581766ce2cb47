import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'

const FIRST_CONNECTION_MS = 5000

/** Calls of a service that has just started are not refused while it connects; resolves soon in any case. */
export function firstConnection(connection: Redis): Promise<unknown> {
  const settled = new Promise<void>((resolve) => {
    connection.once('ready', resolve)
    connection.once('error', () => resolve())
  })
  return Promise.race([settled, sleep(FIRST_CONNECTION_MS, undefined, { ref: false })])
}
