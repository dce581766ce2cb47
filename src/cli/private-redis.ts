import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** A redis-server that belongs to this process, on a socket that nobody else sees. */
export interface PrivateRedis {
  url: string
  close(): Promise<void>
}

const START_TIMEOUT_MS = 10_000

/** Starts redis-server; returns null if the program is not on the PATH or does not answer in time. */
export async function startPrivateRedis(): Promise<PrivateRedis | null> {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-redis-'))
  const socket = join(folder, 'redis.sock')
  const flags = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--maxmemory',
    '1gb',
    '--maxmemory-policy',
    'noeviction',
  ]
  const child = spawn('redis-server', flags, { stdio: 'ignore' })
  const killWithUs = (): void => void child.kill('SIGKILL')
  process.once('exit', killWithUs)
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await gone
    process.off('exit', killWithUs)
    rmSync(folder, { recursive: true, force: true })
  }
  const client = new Redis({ path: socket, retryStrategy: () => 50, maxRetriesPerRequest: null })
  client.on('error', () => {}) // Every attempt fails until the server listens.
  const answered = client.ping().then(
    () => true,
    () => false,
  )
  const ready = await Promise.race([answered, gone.then(() => false), sleep(START_TIMEOUT_MS, false, { ref: false })])
  client.disconnect()
  if (ready) return { url: socket, close }
  await close()
  return null
}
