import type { RedisOptions } from 'bullmq'
import { Cluster, Command, type DNSLookupFunction, Redis } from 'ioredis'
import { type ClusterAddress, parseRedisUrl } from '../base/redis-url.ts'

/** A Redis URL (see parseRedisUrl) or ioredis options. */
export type RedisSource = string | RedisOptions

/** A connection to one Redis server, directly or through its Sentinels, or to all nodes of a cluster. */
export type RedisClient = Redis | Cluster

export type Topology = 'server' | 'sentinel' | 'cluster'

/** Returns the ms to wait before reconnecting: short at first, then longer, at most 2 s. Never gives up. */
const retryStrategy = (attempt: number): number =>
  Math.min(2000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** Longest wait for a host of a list, which may be gone for good: then it is the turn of the next one. */
const HOST_PATIENCE_MS = 3000

/** How soon a cluster's new masters are noticed although the old one has not closed its connections. */
const LOOK_FOR_MASTERS_MS = 5000

/**
 * A connection that is silent for this long with a command pending is considered dead. The longest command of a worker
 * waits 10 s for a job.
 */
const PRODUCER_SILENCE_MS = 10_000
const WORKER_SILENCE_MS = 20_000

/**
 * Makes a connection that adds jobs. While Redis is away a command fails soon, so that it does not run after its caller
 * has given up. With `once`, the connection is neither made before `connect` is called nor made again.
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
 * Returns an unconnected connection of a worker, for the parts of BullMQ that connect a duplicate of what they are given
 * (QueueEvents).
 *
 * @throws TypeError if the URL is invalid (parseRedisUrl).
 */
export function workerToDuplicate(redis: RedisSource): RedisClient {
  const client = connect(redis, {}, { maxRetriesPerRequest: null, lazyConnect: true })
  client.options.lazyConnect = false // Options are copied to duplicates, which are to connect at once.
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
 * Where another server takes over, a server that is gone may never answer again, not even by closing its connections;
 * and one that was the master may come back as a replica.
 */
const SENTINEL_OPTIONS = {
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
    // A certificate is for a host's name. By default ioredis looks up its address and forgets the name.
    ...(tls === undefined ? {} : { dnsLookup: keepName }),
    // A worker waits without limit: with the 16 tries of ioredis it would fail jobs in a failover of some seconds.
    ...(options.maxRetriesPerRequest === null ? { maxRedirections: Number.POSITIVE_INFINITY } : {}),
    retryDelayOnMoved: 50, // While nodes disagree about who is the master, they send a command back and forth.
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

/**
 * Calls `listener` with each error of a connection, and with its reason where ioredis reports that separately: why no
 * node of a cluster answers, or no Sentinel. ioredis also reports that all Sentinels are unreachable when it has only
 * come to the end of their list; that is left out.
 */
export function onConnectionError(client: RedisClient, listener: (error: Error) => void): void {
  let ofSentinel: Error | null = null
  client.on('sentinelError', (error: Error) => {
    ofSentinel = error
  })
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    if (error.lastNodeError) return listener(clusterAway(error.lastNodeError))
    if (!/^All sentinels are unreachable/.test(error.message)) return listener(error)
    if (ofSentinel !== null) listener(masterUnknown(client, ofSentinel))
    ofSentinel = null
  })
}

/** Messages of the two errors by which nothing of a cluster, or of Sentinels, can be reached. */
export const CLUSTER_AWAY = 'no node of the Redis Cluster answers'
export const MASTER_UNKNOWN = 'no Sentinel tells the master'

const clusterAway = (cause: Error): Error =>
  // An answer, such as WRONGPASS, is the reason itself.
  cause.name === 'ReplyError' ? cause : new Error(`${CLUSTER_AWAY}: ${cause.message}`, { cause })

function masterUnknown({ options }: RedisClient, cause: Error): Error {
  const isNameWrong = /invalid reply: null|No such master/.test(cause.message)
  const reason = isNameWrong ? `none of that name (${'name' in options ? options.name : ''})` : cause.message
  return new Error(`${MASTER_UNKNOWN}: ${reason}`, { cause })
}
