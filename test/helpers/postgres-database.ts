import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

/** Runs `use` with a session of its own, which is closed afterwards. */
export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // A lost connection also rejects the query under way.
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/**
 * Creates a database with a name of its own on the server of `url` and returns its URL. Takes about 20 ms without fsync.
 * Copying the files of the template is then two to three times as fast as the default strategy, which logs each page.
 */
export async function createDatabase(url: string, template = 'template1'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await withClient(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE "${template}" STRATEGY file_copy`))
  return withDatabase(url, name)
}

/** Drops the database of the URL, if it exists, and ends the sessions that use it. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await withClient(withDatabase(url, 'postgres'), (client) =>
    client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
  )
}

/** Runs a statement in a session of its own and returns the first value of the first row, if any. */
export async function firstValue(url: string, statement: string): Promise<unknown> {
  const { rows } = await withClient(url, (client) => client.query(statement))
  return Object.values(rows[0] ?? {})[0]
}
