import { expect, onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/open-store.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { checkedStatements } from '../../helpers/checked-statements.ts'
import { temporaryStoreDatabase } from '../../helpers/temporary-database.ts'
import type { Engine } from '../test-store.ts'

/** One shard, so that devices have the numbers 0, 1, 2 … in the order in which they register, as the contract expects. */
const SHARDS = 1

/** Tests of races open two stores for each of many steps, and use only the last few; each has connections of its own. */
const MOST_OPEN = 6
const open: Store[] = []

async function opened(location: string, rejectsKept: number): Promise<Store> {
  const problems = checkedStatements()
  if (open.length === MOST_OPEN) await open.shift()?.close()
  const store = await openPostgresStore({ location, rejectsKept }, SHARDS)
  const close = store.close
  let closed: Promise<void> | null = null
  store.close = () => (closed ??= close())
  open.push(store)
  onTestFinished(async () => {
    await store.close()
    expect(problems).toEqual([])
  })
  return store
}

/** An engine whose stores are in databases made by `newDatabase`. */
export const postgresEngine = (name: string, newDatabase: () => Promise<string>): Engine => ({
  name,
  open: async (rejectsKept = 1000) => opened(await newDatabase(), rejectsKept),
  async connect() {
    const location = await newDatabase()
    return [await opened(location, 10), await opened(location, 10)]
  },
})

export const POSTGRES = postgresEngine('PostgreSQL', () => temporaryStoreDatabase(SHARDS))
