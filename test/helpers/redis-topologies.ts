import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'
import { privateRedis } from './redis.ts'
import type { RedisServer } from './redis-server.ts'

/** A server that others and clients reach by a port of loopback. */
export interface RedisNode extends RedisServer {
  port: number
  /** A connection of the test's own. */
  client: Redis
}

/** Servers of which one holds the queue, with a replica that takes over when it ends. */
export interface FailoverFixture {
  url: string
  master: RedisNode
  replica: RedisNode
  /** Ends the master at once, with all that its replica had by then. */
  killMaster(): Promise<void>
}

/** How soon a master counts as gone: short, and still long enough for a machine that is busy with other tests. */
const GONE_AFTER_MS = 1000

/** A port that is free, and so is the one that a node of a cluster takes for its bus. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (free) await once(server.close(), 'close')
  return free
}

async function startNode(settings: Record<string, string> = {}, sentinel?: string): Promise<RedisNode> {
  const port = await freePort()
  const own = { port: String(port), bind: '127.0.0.1', 'repl-diskless-sync-delay': '0' }
  const server = await privateRedis({
    durable: true,
    settings: { ...own, ...settings },
    ...(sentinel === undefined ? {} : { sentinel }),
  })
  const client = new Redis({ path: server.socket, retryStrategy: () => 100 })
  client.on('error', () => {}) // A Sentinel closes the connections to whom it appoints; and some are killed.
  onTestFinished(() => client.disconnect())
  return { ...server, port, client }
}

const replicates = ({ client }: RedisNode) =>
  eventually(() => client.info('replication')).toMatch(/master_link_status:up/)

function failover(url: string, master: RedisNode, replica: RedisNode): FailoverFixture {
  return {
    url,
    master,
    replica,
    async killMaster() {
      // On a connection of its own, since WAIT is about the writes of its connection.
      await master.client.set('{cooler}written-before', '1')
      await master.client.wait(1, 0)
      await master.kill('SIGKILL')
    },
  }
}

/** A master and a replica, and a Sentinel; the list of Sentinels begins with one that is not there. */
export async function sentinelFixture(): Promise<FailoverFixture & { sentinel: RedisNode }> {
  const master = await startNode()
  const replica = await startNode({ replicaof: `127.0.0.1 ${master.port}` })
  await replicates(replica)
  const sentinel = await startNode(
    {},
    [
      `sentinel monitor fleet 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds fleet ${GONE_AFTER_MS}`,
      'sentinel failover-timeout fleet 5000',
    ].join('\n'),
  )
  await eventually(() => sentinel.client.call('SENTINEL', 'REPLICAS', 'fleet')).toHaveLength(1)
  const url = `redis+sentinel://127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}/fleet`
  return { sentinel, ...failover(url, master, replica) }
}

/** Three masters, of which the one that holds the queue has a replica. */
export async function clusterFixture(): Promise<FailoverFixture> {
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-node-timeout': String(GONE_AFTER_MS),
    'cluster-require-full-coverage': 'no',
    'cluster-replica-validity-factor': '0',
  }
  const nodes = await Promise.all([1, 2, 3, 4].map(() => startNode(settings)))
  const [first, second, third, replica] = nodes as [RedisNode, RedisNode, RedisNode, RedisNode]
  const masters = [first, second, third]
  const slots = 16_384
  await Promise.all(
    masters.map(({ client }, index) =>
      client.cluster('ADDSLOTSRANGE', Math.ceil((slots * index) / 3), Math.ceil((slots * (index + 1)) / 3) - 1),
    ),
  )
  await Promise.all(masters.map(({ client }, index) => client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)))
  for (const { port } of nodes.slice(1)) await first.client.cluster('MEET', '127.0.0.1', port)
  for (const { client } of nodes)
    await eventually(() => client.cluster('INFO')).toMatch(/cluster_state:ok(.|\s)*known_nodes:4/)
  const slot = Number(await first.client.cluster('KEYSLOT', '{cooler}'))
  const master = masters[Math.floor((slot * 3) / slots)]
  await replica.client.cluster('REPLICATE', String(await master.client.cluster('MYID')))
  await replicates(replica)
  return failover(`redis+cluster://127.0.0.1:${first.port},127.0.0.1:${third.port}`, master, replica)
}
