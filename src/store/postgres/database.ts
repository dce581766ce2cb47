import type pg from 'pg'
import { CoolerError } from '../../base/errors.ts'
import { serversOf } from '../../base/store-location.ts'
import { asStoreError } from './errors.ts'
import { Server } from './server.ts'
import { type Session, sessionOf, sessionOn } from './session.ts'

/** Longest silence of a server that works for us, and answers others meanwhile. */
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
  readonly #servers: readonly Server[]
  /** The server that took the last connection. */
  #current = 0
  /** Runs each statement by itself. */
  readonly session: Session

  constructor(location: string, { replica = false }: PostgresOptions = {}) {
    this.#servers = serversOf(location).map((url) => new Server(url, replica))
    if (replica) this.#current = Math.floor(Math.random() * this.#servers.length) // Processes share the replicas.
    this.session = sessionOn((work) => this.withClient(work))
  }

  /** Connects to the last good server, or else to the next one that takes the connection; those that were silent last. */
  async #connect(): Promise<{ client: pg.PoolClient; server: Server }> {
    const inTurn = [...this.#servers.slice(this.#current), ...this.#servers.slice(0, this.#current)]
    const failures: unknown[] = []
    for (const server of inTurn.sort((one, other) => one.silentSince - other.silentSince)) {
      try {
        const client = await server.connect()
        this.#current = this.#servers.indexOf(server)
        return { client, server }
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
    const { client, server } = await this.#connect()
    // Without a listener, a connection that ends while nobody waits for an answer would end the process.
    const onError = (): void => {}
    client.on('error', onError)
    const unwatch = server.watch(client, silenceMs)
    let failure: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      failure = error as Error
      throw asStoreError(error)
    } finally {
      unwatch()
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
    await Promise.all(this.#servers.map((server) => server.end()))
  }
}
