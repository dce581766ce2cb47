import { randomUUID } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { type RedisServer, type RedisServerOptions, startRedisServer } from './redis-server.ts'

/** Path of the socket of the Redis that all tests share: a `connection` as it is. */
export const redisSocket = (): string => inject('redisSocket')

/** A key prefix of one test's own, so that there is nothing to clean. */
export const uniquePrefix = (): string => `t-${randomUUID().slice(0, 8)}`

/** A further Redis, for tests that kill, freeze or fill it; stopped when the test ends. */
export async function privateRedis(options?: RedisServerOptions): Promise<RedisServer> {
  const redis = await startRedisServer(options)
  onTestFinished(() => redis.stop())
  return redis
}
