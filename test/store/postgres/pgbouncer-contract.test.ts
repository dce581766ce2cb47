import { afterAll, beforeAll } from 'vitest'
import { type PgBouncer, startPgBouncer } from '../../helpers/pgbouncer.ts'
import { type PostgresServer, startPostgresServer } from '../../helpers/postgres-server.ts'
import { testStore } from '../test-store.ts'
import { postgresEngine } from './engine.ts'

let server: PostgresServer
let bouncer: PgBouncer

beforeAll(async () => {
  server = await startPostgresServer()
  bouncer = await startPgBouncer(server, { poolMode: 'transaction', poolSize: 4 })
})

afterAll(async () => {
  await bouncer.stop()
  await server.stop()
})

/** Few connections to the server are shared by many of ours, which get another one for each transaction. */
async function database(): Promise<string> {
  return bouncer.url(new URL(await server.newDatabase()).pathname.slice(1))
}

testStore(postgresEngine('PostgreSQL through PgBouncer', database), [
  'landing',
  'messages',
  'notices',
  'placements',
  'pruning',
  'registry',
  'turns',
])
