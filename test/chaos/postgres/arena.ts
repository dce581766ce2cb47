import { onTestFinished } from 'vitest'
import { ahead } from '../../cli/ahead.ts'
import { type Cooler, cooler } from '../../cli/cooler.ts'
import { openNamespace } from '../../helpers/network-namespace.ts'
import { type RedisServer, startRedisServer } from '../../helpers/redis-server.ts'
import { freePort } from '../arena.ts'
import { type Supervised, supervisorOf } from '../supervisor.ts'
import type { Link } from './link.ts'
import { type Cluster, startMachines } from './machines.ts'

/** A machine with one process, and its network. */
export interface Machine {
  process: Supervised
  /** Its ways to the servers of the database. */
  links: readonly [Link, Link]
  /** Nothing gets through, and nobody is told. Without a namespace, only on the ways to the database. */
  down(): void
  up(): void
}

/** What is put under stress: two fleets on one PostgreSQL, one landing directly, the other by a queue. */
export interface PostgresArena {
  cluster: Cluster
  redis: RedisServer
  machines: Machine[]
  /** URLs of the API servers of each fleet. */
  urls: { direct: string[]; queue: string[] }
  /** Settings with which a further machine works on a fleet. */
  visitors: NodeJS.ProcessEnv[]
  program: Cooler
  close(): Promise<void>
}

/** A clock that is wrong by so much must change nothing. */
const OFF_MS = 90_000

const pull = (cable: { down(): void }): void => cable.down()
const plug = (cable: { up(): void }): void => cable.up()

/** Starts everything. */
export async function openPostgresArena(): Promise<PostgresArena> {
  const cluster = await startMachines(['direct', 'queue'])
  const redis = await startRedisServer({ durable: true })
  onTestFinished(() => redis.stop())
  const program = cooler({ COOLER_REFRESH_MINUTES: '0.03', COOLER_THREADS: '1', LOG_LEVEL: 'error' })
  const { supervise, close } = supervisorOf(program)
  const machines: Machine[] = []
  const urls: PostgresArena['urls'] = { direct: [], queue: [] }
  const visitors: NodeJS.ProcessEnv[] = []
  let isApart = false
  for (const fleet of ['direct', 'queue'] as const) {
    const queue = fleet === 'queue' ? { REDIS_URL: redis.socket } : { COOLER_QUEUE: 'direct' }
    const start = async (name: string, command: string, more: NodeJS.ProcessEnv): Promise<void> => {
      const network = openNamespace()
      isApart = network !== null
      const { location, links } = await cluster.locationFor(fleet, network?.outside)
      const cables = network === null ? links : [network]
      const listens = network === null ? {} : { HOST: network.inside, COOLER_INSECURE: '1' }
      const env = { COOLER_STORE: location, ...queue, ...listens, ...more }
      if (more.PORT !== undefined) urls[fleet].push(`http://${network?.inside ?? '127.0.0.1'}:${more.PORT}`)
      machines.push({
        process: supervise(`${fleet}: ${name}`, [command], env, network?.command),
        links,
        down: () => cables.forEach(pull),
        up: () => cables.forEach(plug),
      })
    }
    for (const [nth, clock] of [OFF_MS, -OFF_MS].entries()) {
      if (fleet === 'queue' && nth > 0) continue
      await start(`API ${nth + 1}`, 'serve', { PORT: `${await freePort()}`, NODE_OPTIONS: ahead(clock) })
    }
    await start('worker 1', 'work', {})
    await start('worker 2', 'work', { NODE_OPTIONS: ahead(OFF_MS) })
    visitors.push({ COOLER_STORE: (await cluster.locationFor(fleet)).location })
  }
  if (!isApart) console.warn('no network namespaces here (not root, or no ip): links are cut by proxies')
  return { cluster, redis, machines, urls, visitors, program, close }
}
