import type { Socket } from 'node:net'
import pg from 'pg'
import { CoolerError } from '../../base/errors.ts'
import { serversOf } from '../../base/store-location.ts'
import { asStoreError } from './errors.ts'
import { type Session, sessionOf, sessionOn } from './session.ts'

/** Most connections of one store; each thread has a store of its own. */
const MOST_CONNECTIONS = 6
const CONNECT_TIMEOUT_MS = 5000
/** A connection that is not used for so long is closed. */
const IDLE_MS = 60_000
/** Longest silence of the server while it works for us. A network that is cut would be noticed only much later. */
const SILENCE_MS = 60_000
/** A transaction that its program has left standing for so long is ended by the server, which frees its locks. */
const STANDSTILL_MS = 20_000
/** The same for reads of one state, between which much is computed; until then the server keeps that state. */
const SNAPSHOT_STANDSTILL_MS = 5 * 60_000
/** Longest wait for a lock that somebody else holds. */
const LOCK_TIMEOUT_MS = 10_000

export interface PostgresOptions {
  /** Whether a server that only reads will do. */
  replica?: boolean | undefined
}

/** A session in a transaction. */
export interface Transaction extends Session {
  /** The rows of the statement that was sent together with BEGIN. */
  readonly first: readonly object[]
  /** Sends a statement together with COMMIT, so that the locks that it takes are held for a moment only. */
  last(sql: string): void
}

/** Connections to one database, on whichever of its servers is the primary now. */
export class Postgres {
  readonly #pools: readonly pg.Pool[]
  /** The server that took the last connection. */
  #current = 0
  /** Runs each statement by itself. */
  readonly session: Session

  constructor(location: string, { replica = false }: PostgresOptions = {}) {
    this.#pools = serversOf(location).map((url) => poolOf(url, replica))
    if (replica) this.#current = Math.floor(Math.random() * this.#pools.length) // Processes share the replicas.
    this.session = sessionOn((work) => this.withClient(work))
  }

  /** Connects to the last good server, or else to the next one that takes the connection. */
  async #connect(): Promise<pg.PoolClient> {
    const first = this.#current
    const failures: unknown[] = []
    for (let nth = 0; nth < this.#pools.length; nth++) {
      const server = (first + nth) % this.#pools.length
      try {
        const client = await this.#pools[server].connect()
        this.#current = server
        return client
      } catch (error) {
        failures.push(asStoreError(error))
      }
    }
    throw failures.find((error) => !(error instanceof CoolerError && error.retryable)) ?? failures[0]
  }

  /**
   * Runs `work` on a connection, which is closed if it fails: nobody knows in what state it is. Statements that the
   * server needs longer for than `silenceMs` fail, too.
   */
  async withClient<Result>(work: (client: pg.ClientBase) => Promise<Result>, silenceMs = SILENCE_MS): Promise<Result> {
    const client = await this.#connect()
    // Without a listener, a connection that ends while nobody waits for an answer would end the process.
    const onError = (): void => {}
    client.on('error', onError)
    const stream = socketOf(client)
    const onTimeout = (): void => void stream.destroy(new Error('timeout exceeded when waiting for an answer'))
    stream.setTimeout(silenceMs, onTimeout)
    let failure: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      failure = error as Error
      throw asStoreError(error)
    } finally {
      stream.setTimeout(0)
      stream.off('timeout', onTimeout)
      client.off('error', onError)
      client.release(failure instanceof CoolerError ? false : failure)
    }
  }

  /**
   * Runs `work` in one transaction that sees what others commit meanwhile; it is rolled back if `work` throws.
   *
   * @param first a statement that is sent together with BEGIN
   * @throws CoolerError `store-busy` for a lock that is held too long, a lost connection or a conflict
   */
  transaction<Result>(work: (session: Transaction) => Promise<Result>, first?: string): Promise<Result> {
    const limits = `SET LOCAL idle_in_transaction_session_timeout = ${STANDSTILL_MS}; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`
    return this.#transaction(`BEGIN; ${limits}${first === undefined ? '' : `; ${first}`}`, work)
  }

  /**
   * Runs reads on one state of the store. The state begins once the tables of raw events are locked: a partition that is
   * dropped is gone from older states, too.
   */
  snapshot<Result>(reads: (session: Session) => Promise<Result>): Promise<Result> {
    const limit = `SET LOCAL idle_in_transaction_session_timeout = ${SNAPSHOT_STANDSTILL_MS}`
    const lock = 'LOCK TABLE ONLY segment, ONLY compacted IN ACCESS SHARE MODE'
    return this.#transaction(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limit}; ${lock}`, reads)
  }

  #transaction<Result>(begin: string, work: (session: Transaction) => Promise<Result>): Promise<Result> {
    return this.withClient(async (client) => {
      const session = sessionOf(client)
      const first = await session.rowsOfLast(begin)
      let end = 'COMMIT'
      const last = (sql: string): void => void (end = `${sql}; COMMIT`)
      let result: Result
      try {
        result = await work({ ...session, first, last })
      } catch (error) {
        // If this fails, too, the connection is lost, and the server rolls back by itself.
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
      // A server answers the end of a transaction in which anything has failed by rolling back, which is no error to it.
      const answers: pg.QueryResult | pg.QueryResult[] = await client.query(end)
      const { command } = [answers].flat().at(-1) as pg.QueryResult
      if (command !== 'COMMIT') throw new Error('a statement of a transaction failed, and nobody was told')
      return result
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }
}

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

const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

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
