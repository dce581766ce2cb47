import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { startRedisServer } from './redis-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the unix socket of the redis-server that all tests share, each under a prefix of its own. */
    redisSocket: string
  }
}

/** Starts the Redis of the tests: a real one, of our own, on no port; nothing that it holds outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  installRedis()
  const redis = await startRedisServer()
  project.provide('redisSocket', redis.socket)
  return redis.stop
}

/** @throws Error of one line where there is no redis-server and it cannot be installed here */
function installRedis(): void {
  if (hasRedis()) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { stdio: 'ignore' })
  }
  if (!hasRedis()) throw new Error('the tests need redis-server (6.2 or newer) on the PATH: install redis-server')
}

function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0
}
