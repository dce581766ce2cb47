import type { RedisOptions } from 'bullmq'
import { Cluster, Command, type DNSLookupFunction, Redis } from 'ioredis'
import { type ClusterAddress, parseRedisUrl } from '../base/redis-url.ts'
import { CLUSTER_AWAY } from './redis-away.ts'
import { ExplainingSentinelConnector } from './sentinel-connector.ts'

/** A Redis URL (see parseRedisUrl) or ioredis options. */
export type RedisSource = string | RedisOptions

/** A connection to one Redis server, directly or through its Sentinels, or to all nodes of a cluster. */
export type RedisClient = Redis | Cluster

export type Topology = 'server' | 'sentinel' | 'cluster'

/** Returns the ms to wait before reconnecting: short at first, then longer, at most 2 s. Never gives up. */
const retryStrategy = (attempt: number): number =>
  Math.min(2000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** Longest wait for one of several hosts: it may be gone for good, and the next one is asked then. */
const HOST_PATIENCE_MS = 3000

/** Interval at which a cluster is asked for its masters. It bounds the wait for one that closed no connections. */
const LOOK_FOR_MASTERS_MS = 5000

/**
 * A connection that is silent for this long with a command pending is considered dead. A worker's commands may wait 10 s
 * for a job.
 */
const PRODUCER_SILENCE_MS = 10_000
const WORKER_SILENCE_MS = 20_000

/**
 * Makes a connection that adds jobs. While Redis is away a command fails soon, so that it does not run after its caller
 * has given up. With `once`, it connects only when `connect` is called, and never again.
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export function connectProducer(redis: RedisSource, { once = false } = {}): RedisClient {
  // disconnectTimeout: how long ioredis keeps a timer for a socket that does not close by itself.
  const soonOver = { socketTimeout: PRODUCER_SILENCE_MS, disconnectTimeout: 100 }
  const never = { lazyConnect: true, retryStrategy: () => null, sentinelRetryStrategy: () => null }
  const failSoon = { enableOfflineQueue: false, maxRetriesPerRequest: 1, ...(once ? never : {}) }
  return connect(redis, soonOver, failSoon)
}

/**
 * Makes the connection of a worker, which waits for Redis without limit.
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export const connectWorker = (redis: RedisSource): RedisClient => connect(redis, {}, { maxRetriesPerRequest: null })

/**
 * Makes a connection of a worker that does not connect itself. QueueEvents of BullMQ connects a duplicate of what it is
 * given.
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export function workerToDuplicate(redis: RedisSource): RedisClient {
  const client = connect(redis, {}, { maxRetriesPerRequest: null, lazyConnect: true })
  client.options.lazyConnect = false // Duplicates copy the options. They are to connect at once.
  return client
}

/** The options in which our connections differ. */
interface OwnOptions {
  socketTimeout?: number
  disconnectTimeout?: number
  maxRetriesPerRequest?: number | null
  enableOfflineQueue?: boolean
  lazyConnect?: boolean
  retryStrategy?: (attempt: number) => number | null
  sentinelRetryStrategy?: (attempt: number) => number | null
}

const isCluster = (address: object): address is ClusterAddress => 'nodes' in address

function connect(redis: RedisSource, defaults: OwnOptions, fixed: OwnOptions): RedisClient {
  const address = typeof redis === 'string' ? parseRedisUrl(redis) : redis
  if (isCluster(address)) return connectCluster(address, { ...defaults, ...fixed })
  const ofKind = 'sentinels' in address ? SENTINEL_OPTIONS : {}
  const options: RedisOptions = { retryStrategy, ...ofKind, ...defaults, ...address, ...fixed }
  return new Redis(options)
}

/**
 * A master that another server replaces may never answer again, not even by closing its connections, or it may come back
 * as a replica.
 */
const SENTINEL_OPTIONS = {
  Connector: ExplainingSentinelConnector,
  sentinelRetryStrategy: retryStrategy,
  connectTimeout: HOST_PATIENCE_MS,
  sentinelCommandTimeout: HOST_PATIENCE_MS,
  socketTimeout: WORKER_SILENCE_MS,
  /** 2: reconnects, and sends the command again. */
  reconnectOnError: (error: Error) => (/READONLY/.test(error.message) ? 2 : false),
} as const satisfies RedisOptions

function connectCluster({ nodes, tls, ...login }: ClusterAddress, options: OwnOptions): Cluster {
  const { lazyConnect = false, enableOfflineQueue = true, retryStrategy: retry = retryStrategy, ...ofNodes } = options
  const redisOptions = {
    connectTimeout: HOST_PATIENCE_MS,
    ...{ socketTimeout: WORKER_SILENCE_MS, ...ofNodes },
    ...login,
    ...(tls === undefined ? {} : { tls }),
  }
  return new Cluster(nodes, {
    clusterRetryStrategy: retry,
    slotsRefreshInterval: LOOK_FOR_MASTERS_MS,
    slotsRefreshTimeout: HOST_PATIENCE_MS,
    lazyConnect,
    enableOfflineQueue,
    redisOptions,
    // Certificates are for names, but ioredis looks up the address of a name and forgets the name.
    ...(tls === undefined ? {} : { dnsLookup: keepName }),
    // A worker waits without limit. With the 16 tries of ioredis it would fail jobs during a failover.
    ...(options.maxRetriesPerRequest === null ? { maxRedirections: Number.POSITIVE_INFINITY } : {}),
    retryDelayOnMoved: 50, // Nodes that disagree about the master send a command back and forth.
  })
}

const keepName: DNSLookupFunction = (host, done) => done(null, host)

/** Returns how a Redis is addressed. */
export function topologyOf(client: RedisClient): Topology {
  if (client instanceof Cluster) return 'cluster'
  return client.options.sentinels ? 'sentinel' : 'server'
}

/**
 * Returns the connection to the node that holds a key: in a cluster, to the master of its slot.
 *
 * @throws Error if the cluster has no such node at present
 */
export function nodeOf(client: RedisClient, key: string): Redis {
  if (!(client instanceof Cluster)) return client
  const slot = new Command('get', [key]).getSlot() ?? 0
  const [master] = client.slots[slot] ?? []
  const node = client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === master)
  if (node === undefined) throw new Error('no node of the Redis Cluster holds the keys of the queue')
  return node
}

/** Calls `listener` with each error of a connection. ioredis attaches the reason to the error of a cluster. */
export function onConnectionError(client: RedisClient, listener: (error: Error) => void): void {
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    const reason = error.lastNodeError
    // An answer, such as WRONGPASS, is the reason itself.
    if (reason === undefined || reason.name === 'ReplyError') return listener(reason ?? error)
    listener(new Error(`${CLUSTER_AWAY}: ${reason.message}`))
  })
}
