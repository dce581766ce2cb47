import pg from 'pg'
import { copyIn, copyOut } from './copy.ts'
import { type ColumnType, type ColumnValue, type CopiedRow, encodeRows } from './copy-binary.ts'

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

/** A session on one connection. */
interface ClientSession extends Session {
  /** Runs several statements, and returns the rows of the last one. */
  rowsOfLast(statements: string): Promise<object[]>
}

/** Returns the session of a connection. */
export const sessionOf = (client: pg.ClientBase): ClientSession => ({
  async rows(sql, values = []) {
    return (await client.query({ text: sql, values: [...values], types })).rows
  },
  async run(sql, values = []) {
    return (await client.query({ text: sql, values: [...values], types })).rowCount ?? 0
  },
  async rowsOfLast(statements) {
    const results = (await client.query({ text: statements, types })) as unknown as pg.QueryResult[]
    return results[results.length - 1].rows
  },
  copyOut: (query, take) => copyOut(client, query, take),
  async copyIn(table, columns, rows) {
    if (rows.length === 0) return
    await copyIn(client, table, Object.keys(columns), encodeRows(Object.values(columns), rows))
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
