import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Cooler, cooler } from '../cli/cooler.ts'
import { type RedisServer, startRedisServer } from '../helpers/redis-server.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { type BridgedBroker, openBridges } from './mqtt.ts'
import { type Supervised, supervisorOf } from './supervisor.ts'

/** Room for the stores, where a file system of a fixed size can be had: for what is sent, and small enough to be filled. */
const diskBytes = (minutes: number): number => Math.ceil(256 + 64 * minutes) * 1024 * 1024

/** What is put under stress: a service with a queue in several processes, and one without, each with its store. */
export interface Arena {
  redis: RedisServer
  /** Stores by name, and the API that answers for each. */
  stores: { queue: { file: string; url: string }; direct: { file: string; url: string } }
  workers: Supervised[]
  api: Supervised
  direct: Supervised
  /** Brokers with bridges to these stores; none where there is no MQTT broker. */
  bridges: BridgedBroker[]
  /** The folder of the stores where it is a file system that can be filled, else null. */
  disk: string | null
  /** A folder beside it. */
  folder: string
  program: Cooler
  settings: NodeJS.ProcessEnv
  /** From now on nothing is killed, and what ends is not started again until the function that it gives is called. */
  hold(): () => void
  isHeld(): boolean
  /** Ends all processes, and starts none again. */
  close(): Promise<void>
}

export async function openArena(minutes: number): Promise<Arena> {
  const folder = temporaryFolder()
  const disk = mountDisk(join(folder, 'disk'), diskBytes(minutes))
  const redis = await startRedisServer({ durable: true })
  onTestFinished(() => redis.stop())
  const settings = { COOLER_REFRESH_MINUTES: '0.02', COOLER_THREADS: '2', LOG_LEVEL: 'error' }
  const program = cooler(settings)
  const file = (name: string): string => join(disk ?? folder, `${name}.sqlite`)
  const [apiPort, directPort] = [await freePort(), await freePort()]
  const queued = { COOLER_STORE: file('queue'), REDIS_URL: redis.socket }
  const { supervise, hold, isHeld, close } = supervisorOf(program)
  const bridges = await openBridges(folder, supervise, { queue: queued, direct: { COOLER_STORE: file('direct') } })
  return {
    redis,
    bridges,
    stores: {
      queue: { file: file('queue'), url: `http://127.0.0.1:${apiPort}` },
      direct: { file: file('direct'), url: `http://127.0.0.1:${directPort}` },
    },
    workers: ['worker 1', 'worker 2'].map((name) => supervise(name, ['work'], queued)),
    api: supervise('API', ['serve'], { ...queued, PORT: String(apiPort) }),
    direct: supervise('service without a queue', ['start'], {
      COOLER_STORE: file('direct'),
      PORT: String(directPort),
    }),
    disk,
    folder,
    program,
    settings,
    hold,
    isHeld,
    close,
  }
}

/** A file system in memory of a fixed size; null where it takes rights that this process does not have. */
function mountDisk(path: string, bytes: number): string | null {
  mkdirSync(path)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]))
  return path
}

/** Returns a port of 127.0.0.1 that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
