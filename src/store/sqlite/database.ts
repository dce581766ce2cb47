import type Database from 'better-sqlite3'

export type Sqlite = Database.Database

type Statement = Database.Statement<unknown[], unknown>

const statements = new WeakMap<Sqlite, Map<string, Statement>>()

/** Returns the prepared statement of an SQL text, prepared once for each connection. */
export function prepared(database: Sqlite, text: string): Statement {
  let ofDatabase = statements.get(database)
  if (!ofDatabase) statements.set(database, (ofDatabase = new Map()))
  let statement = ofDatabase.get(text)
  if (!statement) ofDatabase.set(text, (statement = database.prepare(text)))
  return statement
}
