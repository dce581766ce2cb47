import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Cooler, cooler, type Running } from '../cli/cooler.ts'
import { type RedisServer, startRedisServer } from '../helpers/redis-server.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { type BridgedBroker, openBridges } from './mqtt.ts'

/** Room for the stores, where a file system of a fixed size can be had: for what is sent, and small enough to be filled. */
const diskBytes = (minutes: number): number => Math.ceil(256 + 64 * minutes) * 1024 * 1024

/** A process that is started again whenever it ends, until the arena closes. */
export interface Supervised {
  name: string
  /** The store that it opens; null for a bridge to a queue. */
  store: string | null
  kill(signal: NodeJS.Signals): void
  starts(): number
  /** Whether the one that runs has a file open. */
  hasOpen(file: string): boolean
  isRunning(): boolean
  /** Resolves when the one that runs, or ran last, has ended. */
  ended(): Promise<unknown>
  /** What the last of them has written to its standard error, cut. */
  lastWords(): string
}

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
  let closing = false
  const running = new Set<Running>()
  let held: Promise<void> | null = null
  const supervise = (name: string, args: readonly string[], env: NodeJS.ProcessEnv): Supervised => {
    let current: Running
    let starts = 0
    const start = (): void => {
      starts++
      current = program.spawn(args, env)
      running.add(current)
      void current.outcome.then(async () => {
        running.delete(current)
        await held
        if (!closing) start()
      })
    }
    start()
    return {
      name,
      store: args[0] === 'bridge' && env.REDIS_URL !== undefined ? null : (env.COOLER_STORE ?? null),
      kill: (signal) => void current.child.kill(signal),
      starts: () => starts,
      hasOpen: (file) => running.has(current) && openFiles(current.child.pid).includes(file),
      isRunning: () => running.has(current),
      ended: () => current.outcome,
      lastWords: () => current.stderr().slice(-2000),
    }
  }
  const bridges = await openBridges(folder, supervise, { queue: queued, direct: { COOLER_STORE: file('direct') } })
  const arena: Arena = {
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
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = null
        release()
      }
    },
    isHeld: () => held !== null,
    async close() {
      closing = true
      const outcomes = [...running].map(({ child, outcome }) => {
        child.kill('SIGTERM')
        return outcome
      })
      await Promise.all(outcomes)
    },
  }
  // Where the test fails half-way its processes are ended, and must not be started again.
  onTestFinished(() => {
    closing = true
  })
  return arena
}

/** The files that a process has open; none where it has ended. */
function openFiles(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => readLink(join(folder, name)))
  } catch {
    return []
  }
}

function readLink(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return [] // Closed meanwhile.
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
