import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { installPackage } from './install-package.ts'
import { startRedisServer } from './redis-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the unix socket of the redis-server that all tests share, each under a prefix of its own. */
    redisSocket: string
  }
}

/** Starts the Redis of the tests: a real one, of our own, on no port; nothing that it holds outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  installPackage({
    isThere: hasRedis,
    packages: ['redis-server'],
    otherwise: 'the tests need redis-server (6.2 or newer) on the PATH: install redis-server',
  })
  const redis = await startRedisServer()
  project.provide('redisSocket', redis.socket)
  return redis.stop
}

function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0
}
