import { inject } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { createDatabase, dropDatabase } from './postgres-database.ts'
import type { OnEnd } from './temporary-store.ts'
import { whenFinished } from './when-finished.ts'

/** Creates an empty PostgreSQL database, dropped when the test ends, and returns its URL. */
export async function temporaryDatabase(onEnd: OnEnd = whenFinished): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'))
  onEnd(() => dropDatabase(url))
  return url
}

/** Names of the databases that hold nothing but an empty store, by its number of shards; they end with the server. */
const templates = new Map<number, Promise<string>>()

async function createTemplate(shards: number): Promise<string> {
  const location = await createDatabase(inject('postgresUrl'))
  await (await openPostgresStore({ location, rejectsKept: 1 }, shards)).close()
  return new URL(location).pathname.slice(1)
}

/**
 * Creates a database with an empty store and returns its URL. The store is copied: running all migrations takes several
 * times as long.
 */
export async function createStoreDatabase(shards: number): Promise<string> {
  const template = templates.get(shards) ?? createTemplate(shards)
  templates.set(shards, template)
  return createDatabase(inject('postgresUrl'), await template)
}

/** Creates a database with an empty store, dropped when the test ends, and returns its URL. */
export async function temporaryStoreDatabase(shards: number): Promise<string> {
  const url = await createStoreDatabase(shards)
  whenFinished(() => dropDatabase(url))
  return url
}
