/** Address and login of a Redis server, as ioredis and BullMQ take them. */
export interface RedisAddress {
  host?: string
  port?: number
  /** Path of a Unix socket, instead of host and port. */
  path?: string
  username?: string
  password?: string
  db?: number
  /** Present for TLS. */
  tls?: Record<string, never>
}

const RIGHT =
  'redis://[user:password@]host[:port][/db], rediss:// for TLS, redis+unix:///path[?db=0], or the path of a socket'

/**
 * Parses a Redis URL. ioredis does too, but it lacks `redis+unix:` and takes any query parameter as an option.
 *
 * @throws TypeError if the URL has none of the four forms. The message omits the URL, which may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  if (url.startsWith('/')) return { path: url }
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

function networkAddress(url: URL): RedisAddress {
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: url.port === '' ? 6379 : Number(url.port),
    ...login(url),
    ...database(url, url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  }
}

function socketAddress(url: URL): RedisAddress {
  if (!['', 'localhost'].includes(url.hostname) || url.pathname.length < 2) {
    throw new TypeError('a redis+unix: URL names a socket after three slashes, such as redis+unix:///run/redis.sock')
  }
  return { path: decoded(url.pathname), ...login(url), ...database(url, '') }
}

function login({ username, password }: URL): Pick<RedisAddress, 'username' | 'password'> {
  return {
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
  }
}

/** Reads the database number from the path or `?db=`. Refuses unknown parameters: ignoring them would mislead. */
function database(url: URL, inPath: string): Pick<RedisAddress, 'db'> {
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'db')
  if (unknown.length > 0) throw new TypeError(`a Redis URL takes no parameter ${unknown.join(', ')}; there is only db`)
  const db = url.searchParams.get('db') ?? inPath
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
