interface Login {
  username?: string
  password?: string
  /** Present for TLS. */
  tls?: Record<string, never>
}

export interface RedisNode {
  host: string
  port: number
}

/** One Redis server, as ioredis and BullMQ take it. */
export interface ServerAddress extends Login {
  host?: string
  port?: number
  /** Path of a Unix socket, instead of host and port. */
  path?: string
  db?: number
}

/** The Sentinels that know where the master is, as ioredis and BullMQ take them. */
export interface SentinelAddress extends Login {
  sentinels: RedisNode[]
  /** Name of the master at the Sentinels. */
  name: string
  db?: number
  sentinelUsername?: string
  sentinelPassword?: string
  sentinelTLS?: Record<string, never>
  enableTLSForSentinelMode?: true
}

/** Some nodes of a Redis Cluster, by which the others are found. */
export interface ClusterAddress extends Login {
  nodes: RedisNode[]
}

export type RedisAddress = ServerAddress | SentinelAddress | ClusterAddress

const RIGHT =
  'redis://[user:password@]host[:port][/db], redis+cluster://[user:password@]host[:port],..., ' +
  'redis+sentinel://[user:password@]host[:port],.../name[/db], rediss instead of redis for TLS, ' +
  'redis+unix:///path[?db=0], or the path of a socket'

const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379

/** Matches URLs with a list of hosts, which the class URL cannot parse. */
const LIST = /^(rediss?)\+(cluster|sentinel):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i

/**
 * Parses a Redis URL. ioredis does too, but it knows neither sockets nor lists of hosts, and takes any query parameter
 * as an option.
 *
 * @throws TypeError if the URL has none of these forms. The message omits the URL, which may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  if (url.startsWith('/')) return { path: url }
  const list = LIST.exec(url)
  if (list !== null) return listAddress(list)
  const parsed = URL.canParse(url) ? new URL(url) : null
  switch (parsed?.protocol) {
    case 'redis:':
    case 'rediss:':
      return networkAddress(parsed)
    case 'redis+unix:':
      return socketAddress(parsed)
    default:
      throw new TypeError(`not a Redis URL: expected ${RIGHT}`)
  }
}

function networkAddress(url: URL): ServerAddress {
  refuseUnknown(url.searchParams, ['db'])
  return {
    ...hostAndPort(url, REDIS_PORT),
    ...login(url),
    ...database(url.searchParams, url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  }
}

function socketAddress(url: URL): ServerAddress {
  if (!['', 'localhost'].includes(url.hostname) || url.pathname.length < 2) {
    throw new TypeError('a redis+unix: URL names a socket after three slashes, such as redis+unix:///run/redis.sock')
  }
  refuseUnknown(url.searchParams, ['db'])
  return { path: decoded(url.pathname), ...login(url), ...database(url.searchParams, '') }
}

function listAddress([, scheme, kind, authority, path = '', query = '']: RegExpExecArray): RedisAddress {
  const hostsAt = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(hostsAt).split(',')
  const hasTls = scheme.toLowerCase() === 'rediss'
  const user = login(new URL(`redis://${authority.slice(0, hostsAt)}host`))
  // URLSearchParams would read + as a space, as in a form; generated passwords often contain +.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'))
  if (kind.toLowerCase() === 'sentinel')
    return { sentinels: listedNodes(hosts, SENTINEL_PORT), ...user, ...ofSentinel(path, parameters, hasTls) }
  refuseUnknown(parameters, ['db'])
  if ((database(parameters, path).db ?? 0) !== 0)
    throw new TypeError('not the URL of a Redis Cluster, which has only database 0: remove the database number')
  return { nodes: listedNodes(hosts, REDIS_PORT), ...user, ...(hasTls ? { tls: {} } : {}) }
}

function ofSentinel(path: string, parameters: URLSearchParams, hasTls: boolean): Omit<SentinelAddress, 'sentinels'> {
  const [name = '', db = '', ...more] = path.split('/')
  if (name === '' || more.length > 0)
    throw new TypeError('not a Sentinel URL: expected redis+sentinel://host[:port],.../name[/db], name of the master')
  const own = ['sentinelUsername', 'sentinelPassword'] as const
  refuseUnknown(parameters, ['db', ...own])
  const given = own.flatMap((key) => (parameters.get(key) ? [[key, parameters.get(key)]] : []))
  return {
    name: decoded(name),
    ...database(parameters, db),
    ...Object.fromEntries(given),
    ...(hasTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  }
}

const listedNodes = (hosts: readonly string[], defaultPort: number): RedisNode[] =>
  hosts.map((host, index) => {
    const url = `redis://${host}`
    if (host !== '' && URL.canParse(url) && new URL(url).port !== '0') return hostAndPort(new URL(url), defaultPort)
    throw new TypeError(`not a Redis URL: part ${index + 1} of its list of hosts is not host[:port]`)
  })

const hostAndPort = ({ hostname, port }: URL, defaultPort: number): RedisNode => ({
  host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
  port: port === '' ? defaultPort : Number(port),
})

function login({ username, password }: URL): Pick<Login, 'username' | 'password'> {
  return {
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
  }
}

/** Refuses unknown parameters, because ignoring them would mislead. */
function refuseUnknown(parameters: URLSearchParams, known: readonly string[]): void {
  const unknown = [...parameters.keys()].filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const there = known.length === 1 ? `there is only ${known}` : `there are ${known.join(', ')}`
  throw new TypeError(`a Redis URL takes no parameter ${unknown.join(', ')}; ${there}`)
}

/** Reads the database number from the path or `?db=`. */
function database(parameters: URLSearchParams, inPath: string): { db?: number } {
  const db = parameters.get('db') ?? inPath
  if (db === '') return {}
  if (/^\d{1,5}$/.test(db)) return { db: Number(db) }
  throw new TypeError('the database of a Redis URL must be a number, such as redis://host:6379/0')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw new TypeError('a Redis URL has a % that is no percent-encoding: write it %25', { cause: error })
  }
}
