import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from './postgres-database.ts'
import type { OnEnd } from './temporary-store.ts'

/** Creates an empty PostgreSQL database, dropped when the test ends, and returns its URL. */
export async function temporaryDatabase(onEnd: OnEnd = onTestFinished): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'))
  onEnd(() => dropDatabase(url))
  return url
}
