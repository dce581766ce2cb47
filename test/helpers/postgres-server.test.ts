import { Client } from 'pg'
import { expect, test } from 'vitest'
import { temporaryDatabase } from './temporary-database.ts'

async function ask(url: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return Object.values((await client.query(query)).rows[0])[0]
  } finally {
    await client.end()
  }
}

test('a temporary database is empty and on the shared server', async () => {
  const url = await temporaryDatabase()
  expect(await ask(url, 'SELECT count(*)::int FROM pg_stat_user_tables')).toBe(0)
})
