import { expect, onTestFinished, test } from 'vitest'
import { startPgBouncer } from './pgbouncer.ts'
import { firstValue, withClient } from './postgres-database.ts'
import { startPostgresServer } from './postgres-server.ts'

test('sessions share a server connection between their transactions', async () => {
  const server = await startPostgresServer()
  onTestFinished(() => server.stop())
  const pooler = await startPgBouncer(server, { poolMode: 'transaction', poolSize: 1 })
  onTestFinished(() => pooler.stop())
  const url = pooler.url(new URL(await server.newDatabase()).pathname.slice(1))
  await withClient(url, async (first) => {
    await withClient(url, async (second) => {
      const pids = [first, second].map(async (client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0])
      const [one, other] = await Promise.all(pids)
      expect(one).toEqual(other)
    })
  })
  await pooler.stop()
  await expect(firstValue(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
})
