import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { type ColumnType, type ColumnValue, type CopiedRow, encodeRows, RowDecoder } from './copy-binary.ts'

/** Runs statements: each on a connection of its own, or all in one transaction. */
export interface Session {
  /** Runs a statement and returns its rows. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Runs a statement and returns the number of rows that it changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /**
   * Passes the rows of a query to `take`, in PostgreSQL's binary format. `pg` decodes bytea only from text, which costs
   * several times as much. COPY takes no parameters: see `int` and `ints`.
   */
  copyOut(query: string, take: (row: CopiedRow) => void): Promise<void>
  /** Inserts rows into columns of a table. */
  copyIn(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    rows: readonly (readonly ColumnValue[])[],
  ): Promise<void>
}

/** Writes an integer into SQL. @throws RangeError for any other value */
export function int(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer`)
  return `${value}`
}

/** Returns a day, a week or another bound of type int4, which may be infinite, within the range of that type. */
export const int4 = (bound: number): number => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, bound))

/** Writes integers into SQL as a list in brackets, which matches nothing if it is empty. */
export const ints = (values: readonly number[]): string =>
  values.length === 0 ? '(NULL)' : `(${values.map(int).join(',')})`

/** `pg` gives int8 as text; all of ours are safe integers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Returns the session of a connection. */
export const sessionOf = (client: pg.ClientBase): Session => ({
  async rows(sql, values = []) {
    return (await client.query({ text: sql, values: [...values], types })).rows
  },
  async run(sql, values = []) {
    return (await client.query({ text: sql, values: [...values], types })).rowCount ?? 0
  },
  async copyOut(query, take) {
    const decoder = new RowDecoder(take)
    const stream = client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`))
    for await (const piece of stream) decoder.add(piece as Buffer)
  },
  async copyIn(table, columns, rows) {
    if (rows.length === 0) return
    const bytes = encodeRows(Object.values(columns), rows)
    const stream = client.query(
      copyFrom(`COPY ${table} (${Object.keys(columns).join(', ')}) FROM STDIN (FORMAT binary)`),
    )
    stream.end(bytes)
    await finished(stream)
  },
})

/** Returns a session in which each call has a connection of its own. */
export function sessionOn(withClient: <R>(work: (client: pg.ClientBase) => Promise<R>) => Promise<R>): Session {
  return {
    rows: (sql, values) => withClient((client) => sessionOf(client).rows(sql, values)),
    run: (sql, values) => withClient((client) => sessionOf(client).run(sql, values)),
    copyOut: (query, take) => withClient((client) => sessionOf(client).copyOut(query, take)),
    copyIn: (table, columns, rows) => withClient((client) => sessionOf(client).copyIn(table, columns, rows)),
  }
}
