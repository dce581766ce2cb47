import type { Socket } from 'node:net'
import type pg from 'pg'
import { type CopiedRow, RowDecoder } from './copy-binary.ts'

/**
 * COPY over a connection of `pg`, in both directions, as an object that `pg` runs like a query of its own. It passes
 * whole messages; streams would cut them up and put them together again, which costs more than all else here.
 */
abstract class Copy implements pg.Submittable {
  /** The statement, where `pg` has it in its own queries. */
  readonly text: string
  readonly #settle: (failure: unknown) => void
  /** The first failure on our side; the connection is in order again once the server has nothing more to say. */
  protected failure: unknown

  constructor(sql: string, settle: (failure: unknown) => void) {
    this.text = sql
    this.#settle = settle
  }

  submit(connection: pg.Connection): void {
    ;(connection as unknown as { query(sql: string): void }).query(this.text)
  }

  handleCommandComplete(): void {
    // The end is what `handleReadyForQuery` reports.
  }

  handleError(error: unknown): void {
    this.#settle(error)
  }

  handleReadyForQuery(): void {
    this.#settle(this.failure)
  }
}

/** A message of COPY data of the server: one row, which may be overwritten when the next one arrives. */
interface CopyData {
  chunk: Buffer
}

class CopyOut extends Copy {
  readonly #decoder: RowDecoder

  constructor(sql: string, take: (row: CopiedRow) => void, settle: (failure: unknown) => void) {
    super(sql, settle)
    this.#decoder = new RowDecoder(take)
  }

  handleCopyData({ chunk }: CopyData): void {
    if (this.failure !== undefined) return
    try {
      this.#decoder.add(chunk)
    } catch (error) {
      this.failure = error
    }
  }
}

class CopyIn extends Copy {
  readonly #messages: Buffer

  constructor(sql: string, messages: Buffer, settle: (failure: unknown) => void) {
    super(sql, settle)
    this.#messages = messages
  }

  handleCopyInResponse({ stream }: { stream: Socket }): void {
    stream.write(this.#messages)
  }
}

const run = (client: pg.ClientBase, copy: (settle: (failure: unknown) => void) => Copy): Promise<void> =>
  new Promise((resolve, reject) => {
    client.query(copy((failure) => (failure === undefined ? resolve() : reject(failure))))
  })

/** Passes the rows of a query to `take`. */
export const copyOut = (client: pg.ClientBase, query: string, take: (row: CopiedRow) => void): Promise<void> =>
  run(client, (settle) => new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`, take, settle))

/** Inserts rows into columns of a table. @param messages from encodeRows */
export const copyIn = (
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  messages: Buffer,
): Promise<void> =>
  run(
    client,
    (settle) => new CopyIn(`COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`, messages, settle),
  )
