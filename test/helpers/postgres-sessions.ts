import { Client } from 'pg'
import { onTestFinished } from 'vitest'

/** Closes a store or a connection when the test ends; returns it. */
export function closedAfter<One extends { close(): Promise<void> }>(one: One): One {
  onTestFinished(() => one.close())
  return one
}

/** Opens a session that lasts until the test ends. */
export async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // The server may be stopped first.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
