import type { RedisClient } from './redis-client.ts'
import { within } from './within.ts'

const MINUTE_MS = 60_000

/** Longest time that a Redis that does not answer delays a request. */
const PATIENCE_MS = 250
/** How long Redis is then not asked again. */
const PAUSE_MS = 5_000

/** Does for all processes, by the clock of Redis, what web/api/rate-limit.ts does; returns the milliseconds to wait. */
const TAKE_SCRIPT = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local interval = tonumber(ARGV[1])
  local paid = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + interval
  local wait = paid - now - ${MINUTE_MS}
  if wait > 0.001 then return math.ceil(wait) end
  redis.call('SET', KEYS[1], string.format('%.6f', paid), 'PX', math.ceil(paid - now) + 1)
  return 0`

/** Counts the requests of callers in Redis, for all processes that share it. */
export class SharedTurns {
  readonly #client: RedisClient
  readonly #prefix: string
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(client: RedisClient, prefix: string) {
    this.#client = client
    this.#prefix = prefix
  }

  /** Counts a request. Returns 0, or the whole seconds to wait; 0 as well if Redis is away. Never rejects. */
  async take(caller: string, perMinute: number): Promise<number> {
    if (this.#client.status !== 'ready' || performance.now() < this.#pausedUntil) return 0
    try {
      const call = this.#client.eval(TAKE_SCRIPT, 1, `${this.#prefix}:${caller}`, MINUTE_MS / perMinute)
      return Math.ceil(Number(await within(PATIENCE_MS, call)) / 1000)
    } catch {
      this.#pausedUntil = performance.now() + PAUSE_MS
      return 0
    }
  }
}
