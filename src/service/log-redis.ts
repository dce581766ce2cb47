import type { Logger } from 'pino'
import { withoutLogin } from '../base/log.ts'
import { CLUSTER_AWAY, MASTER_UNKNOWN } from '../queue/redis-away.ts'

/** Errors of a connection while Redis is away. They do not mean that the request was wrong. */
const AWAY = /^(ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|EACCES)/
const AWAY_MESSAGES = [
  "Cluster isn't ready",
  'Connection in subscriber',
  'Connection is closed',
  'Failed to refresh slots',
  'None of startup nodes',
  'Socket closed',
  'Socket timeout',
  "Stream isn't writeable",
  CLUSTER_AWAY,
  MASTER_UNKNOWN,
]

export interface RedisLog {
  onError(error: Error): void
  /** Call this whenever Redis has been reached. */
  onReady(): void
}

/**
 * Returns callbacks that log once when Redis cannot be reached, and once when it is back. Every other error goes to
 * `onError`, and so does the error by which an established connection was lost.
 */
export function logRedis(logger: Logger, redis: string, onError: (error: Error) => void): RedisLog {
  let isWaiting = false
  let wasThere = false
  return {
    onError(error) {
      if (!isAway(error)) return onError(error)
      if (isWaiting) return
      isWaiting = true
      if (wasThere) onError(error)
      const reason = error.message || (error as NodeJS.ErrnoException).code
      logger.warn({ redis: withoutLogin(redis), reason }, 'waiting for Redis: it cannot be reached; trying on')
    },
    onReady() {
      if (isWaiting) logger.info({ redis: withoutLogin(redis) }, 'Redis is there')
      isWaiting = false
      wasThere = true
    },
  }
}

const isAway = ({ code = '', message }: NodeJS.ErrnoException): boolean =>
  AWAY.test(code) || AWAY_MESSAGES.some((start) => message.startsWith(start))
