import type { Socket } from 'node:net'
import pg from 'pg'
import { CoolerError } from '../../base/errors.ts'

/** Most connections of one store to a server; each thread has a store of its own. */
const MOST_CONNECTIONS = 6
const CONNECT_TIMEOUT_MS = 5000
/** A connection that is not used for so long is closed. */
const IDLE_MS = 60_000
/** After so long without a word on a connection, it is checked whether the server still answers at all. */
const CHECK_AFTER_MS = 4000
const CHECK_TIMEOUT_MS = 3000

/**
 * A server of a database and the connections to it. A machine that lost its power or its network says nothing: its
 * connections stay open, and the operating system gives them up after a quarter of an hour. So a connection that is
 * silent is not waited for before a new connection has shown that the server still answers.
 */
export class Server {
  readonly #url: string
  readonly #pool: pg.Pool
  readonly #connected = new Set<pg.PoolClient>()
  #check: Promise<void> | undefined
  /** When it was found silent, ms of the monotonic clock; 0 if a connection has been made since. */
  silentSince = 0

  /** @param replica whether a server that only reads will do */
  constructor(url: string, replica: boolean) {
    this.#url = url
    this.#pool = poolOf(url, replica)
    this.#pool.on('connect', (client) => void this.#connected.add(client))
    this.#pool.on('remove', (client) => void this.#connected.delete(client))
  }

  /** Returns a connection of the pool, or a new one. @throws what `pg` throws; CoolerError `store-busy` for a standby */
  async connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect()
    this.silentSince = 0
    return client
  }

  /**
   * Ends a connection on which the server says nothing for `mostMs`, or at once where it answers no new connection
   * either. Returns a function that ends the watch.
   */
  watch(client: pg.ClientBase, mostMs: number): () => void {
    const stream = socketOf(client)
    let heard = stream.bytesRead
    let silentMs = 0
    const onTimeout = (): void => {
      silentMs = stream.bytesRead === heard ? silentMs + CHECK_AFTER_MS : CHECK_AFTER_MS
      heard = stream.bytesRead
      if (silentMs >= mostMs) {
        giveUp(client)
        return
      }
      stream.setTimeout(CHECK_AFTER_MS) // A socket tells of a silence once.
      this.#check ??= this.#endIfSilent().finally(() => {
        this.#check = undefined
      })
    }
    stream.setTimeout(Math.min(CHECK_AFTER_MS, mostMs), onTimeout)
    return () => {
      stream.setTimeout(0)
      stream.off('timeout', onTimeout)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Ends all connections, used or not, if the server does not answer on a new one. */
  async #endIfSilent(): Promise<void> {
    if (await answers(this.#url)) return
    this.silentSince = performance.now()
    for (const client of this.#connected) giveUp(client)
  }
}

/** Tells whether a server answers a new connection within the time of a check, if only by a refusal. */
async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CHECK_TIMEOUT_MS,
    query_timeout: CHECK_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    // Not ended by a farewell: a server that falls silent now would be waited for.
    socketOf(client).destroy()
  }
}

const giveUp = (client: pg.ClientBase): void =>
  void socketOf(client).destroy(new Error('timeout exceeded when waiting for an answer'))

const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

type Connected = Parameters<pg.Client['connect']>[0]

/**
 * Closes its socket if it cannot log in. The pool forgets such a client and leaves the socket open, which would keep a
 * command from ending where the URL has no password.
 */
class Client extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<pg.Client> | undefined {
    if (connected === undefined) return super.connect()
    super.connect((error: Error | null) => {
      if (error) socketOf(this).destroy()
      ;(connected as (error: Error | null) => void)(error)
    })
    return undefined
  }
}

function poolOf(connectionString: string, replica: boolean): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'cooler-reports',
    verify: (client, done) => {
      if (replica) done()
      else requirePrimary(client).then(() => done(), done)
    },
  })
  // An idle connection that ends is replaced by the next call; a call that fails tells its caller.
  pool.on('error', () => {})
  return pool
}

/** Refuses a new connection to a standby. @throws CoolerError `store-busy` */
async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby')
  if (!rows[0].standby) return
  throw new CoolerError(
    'store-busy',
    'COOLER_STORE names a server that only reads (a standby): name the primary, or all servers with commas between them',
  )
}
