import type { TestProject } from 'vitest/node'
import { isInstalled, REDIS } from './install-package.ts'
import { startRedisServer } from './redis-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the unix socket of the redis-server that all tests share, each under a prefix of its own. */
    redisSocket: string
  }
}

/** Starts the Redis of the tests: a real one, of our own, on no port; nothing that it holds outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!isInstalled(REDIS))
    throw new Error('the tests need redis-server (6.2 or newer) on the PATH: install redis-server')
  const redis = await startRedisServer()
  project.provide('redisSocket', redis.socket)
  return redis.stop
}
