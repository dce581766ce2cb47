import Database from 'better-sqlite3'

/** Changes the store's file past its program. */
export function withDatabase(file: string, change: (database: Database.Database) => void): void {
  const database = new Database(file)
  change(database)
  database.close()
}
