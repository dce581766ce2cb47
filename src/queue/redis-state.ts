import type { Redis } from 'ioredis'
import { queueNodeOn } from './queue-contract.ts'
import { type RedisClient, type Topology, topologyOf } from './redis-client.ts'

/** The state that a Redis reports; null for missing values: managed ones refuse CONFIG, and users may lack rights. */
export interface RedisState {
  /** How it is addressed. */
  topology: Topology
  /** Host and port, or the socket, of the server that holds the queues. */
  node: string
  version: string | null
  /** `standalone`, `cluster` or `sentinel`. */
  mode: string | null
  /** `master` or `slave`. */
  role: string | null
  replicas: number | null
  maxmemoryPolicy: string | null
  /** 0 for no limit. */
  memoryLimitBytes: number | null
  memoryUsedBytes: number | null
  /** Whether writes go to an append-only file. */
  appendOnly: boolean | null
  /** `always`, `everysec` or `no`. */
  appendFsync: string | null
  /** The files that Redis failed to write to its disk at the last try: `append-only file`, `snapshot`. */
  failedWrites: string[]
  /** How far its clock is ahead of ours, as precisely as the round trip of the query allows. */
  clockAheadMs: number | null
}

/**
 * Share of used memory above which a Redis counts as full. Batches are refused before it really is full, because then
 * it cannot even be emptied: BullMQ needs memory to take a job out.
 */
export const FULL_MEMORY_SHARE = 0.8

/** Reads the state of the Redis that holds the queues. Rejects only if it does not answer at all. */
export async function readRedisState(connection: RedisClient): Promise<RedisState> {
  const client = queueNodeOn(connection)
  await client.ping()
  const info = await readInfo(client)
  const text = (name: string): string | null => info.get(name) ?? null
  const count = (name: string): number | null => (info.has(name) ? Number(info.get(name)) : null)
  const failed = [
    ['aof_last_write_status', 'append-only file'],
    ['aof_last_bgrewrite_status', 'append-only file'],
    ['rdb_last_bgsave_status', 'snapshot'],
  ].flatMap(([name, what]) => (info.get(name) === 'err' ? [what] : []))
  return {
    topology: topologyOf(connection),
    node: addressOf(client),
    version: text('redis_version'),
    mode: text('redis_mode'),
    role: text('role'),
    replicas: count('connected_slaves'),
    maxmemoryPolicy: text('maxmemory_policy') ?? (await configOf(client, 'maxmemory-policy')),
    memoryLimitBytes: count('maxmemory'),
    memoryUsedBytes: count('used_memory'),
    appendOnly: info.has('aof_enabled') ? info.get('aof_enabled') === '1' : null,
    appendFsync: await configOf(client, 'appendfsync'),
    failedWrites: [...new Set(failed)],
    clockAheadMs: await clockAhead(client),
  }
}

function addressOf({ stream, options }: Redis): string {
  const { path, host, port } = options
  if (path) return path
  // A Sentinel has chosen the node.
  return options.sentinels ? `${stream?.remoteAddress}:${stream?.remotePort}` : `${host}:${port}`
}

/** Returns the share of its memory that Redis uses, 0 to 1; 0 if it reports no limit. Rejects if Redis is away. */
export async function usedMemoryShare(client: Redis): Promise<number> {
  const info = await readInfo(client, 'memory')
  const limit = Number(info.get('maxmemory') ?? 0)
  return limit > 0 ? Number(info.get('used_memory') ?? 0) / limit : 0
}

async function readInfo(client: Redis, section = 'default'): Promise<Map<string, string>> {
  const text = await unlessRefused(client.info(section))
  const pairs = (text ?? '').split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':')
    return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
  })
  return new Map(pairs)
}

async function configOf(client: Redis, name: string): Promise<string | null> {
  const answer = await unlessRefused(client.config('GET', name))
  return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null
}

async function clockAhead(client: Redis): Promise<number | null> {
  const before = Date.now()
  const answer = await unlessRefused(client.time())
  if (answer === null) return null
  const [seconds, microseconds] = answer.map(Number)
  return Math.round(seconds * 1000 + microseconds / 1000 - (before + Date.now()) / 2)
}

/** Returns null if Redis does not know or allow the command. Other errors, such as a missing answer, are thrown. */
async function unlessRefused<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return null
    throw error
  }
}
