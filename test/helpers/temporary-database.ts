import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from './postgres-database.ts'

/** Creates an empty PostgreSQL database, dropped when the test ends, and returns its URL. */
export async function temporaryDatabase(): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'))
  onTestFinished(() => dropDatabase(url))
  return url
}
