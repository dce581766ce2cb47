import { once } from 'node:events'
import { chownSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { serversOf } from '../../../src/base/store-location.ts'
import { Kind } from '../../../src/event/event-columns.ts'
import { openStore, openStoreReader, type Store } from '../../../src/store/open-store.ts'
import { Postgres } from '../../../src/store/postgres/database.ts'
import { refuseOldServer } from '../../../src/store/postgres/schema.ts'
import { eventually } from '../../helpers/eventually.ts'
import { firstValue } from '../../helpers/postgres-database.ts'
import { type PostgresServer, startPostgresServer } from '../../helpers/postgres-server.ts'
import { closedAfter, openSession } from '../../helpers/postgres-sessions.ts'
import { landRaw } from '../../helpers/raw-events.ts'
import { canMount, mountSmallDisk } from '../../helpers/small-disk.ts'
import { unprivilegedFolder, unprivilegedUser } from '../../helpers/unprivileged.ts'

const opened = async (location: string): Promise<Store> => closedAfter(await openStore({ location, rejectsKept: 10 }))

/** An error of this code whose message, one line, says this. */
const told = (code: string, message: RegExp) => ({
  code,
  message: expect.stringMatching(new RegExp(`^(?!.*\\n).*${message.source}`)),
})

async function privateServer(passwordRoles: readonly string[] = []): Promise<PostgresServer> {
  const server = await startPostgresServer({ passwordRoles })
  onTestFinished(() => server.stop())
  return server
}

const event = (id: string) => ({ id, at: 1_700_000_000_000, kind: Kind.visitorCount, a: 1 })

test.each([
  'postgres://',
  'postgres://one',
  'postgres://one:port/db',
  'postgres://one,two:99999/db',
  'postgres://user:100%@one/db',
])('%s is not the URL of a database, and no message has its password', (url) => {
  expect(() => serversOf(url)).toThrow(
    expect.objectContaining(told('bad-configuration', /write postgres:\/\/user:password@host:5432\/database$/)),
  )
})

test('a server older than 15 is refused', () => {
  expect(() => refuseOldServer({ version: 140_011, name: '14.11 (Debian)' })).toThrow(
    expect.objectContaining(told('bad-configuration', /PostgreSQL 14\.11 \(Debian\): use 15 or newer$/)),
  )
  refuseOldServer({ version: 150_000, name: '15.0' })
})

test('a login that the server refuses is a bad configuration', async () => {
  const server = await privateServer(['app'])
  await firstValue(server.url(), "CREATE ROLE app LOGIN PASSWORD 'right'")
  const as = (login: string) => server.url().replace('cooler@', login)
  await expect(opened(as('app:wrong@'))).rejects.toMatchObject(
    told(
      'bad-configuration',
      /refuses the user \(password authentication failed for user "app"\): correct COOLER_STORE$/,
    ),
  )
  await expect(opened(as('app@'))).rejects.toMatchObject(told('bad-configuration', /asks for a password/))
  await expect(opened(as('nobody@'))).rejects.toMatchObject(told('bad-configuration', /role "nobody" does not exist/))
  await expect(opened(server.url('nothing'))).rejects.toMatchObject(
    told('bad-configuration', /database "nothing" does not exist: create it, or correct COOLER_STORE$/),
  )
  await expect(opened(`${server.url()}?sslmode=require`)).rejects.toMatchObject(told('bad-configuration', /has no TLS/))
})

test('a right that is missing is a bad configuration', async () => {
  const server = await privateServer()
  const url = await server.newDatabase()
  await firstValue(server.url(), 'CREATE ROLE app LOGIN')
  const asApp = url.replace('cooler@', 'app@')
  await expect(opened(asApp)).rejects.toMatchObject(
    told('bad-configuration', /may not do this \(permission denied for schema public\): grant it the rights/),
  )
  await opened(url)
  await expect(openStoreReader({ location: asApp, rejectsKept: 1 })).rejects.toMatchObject(
    told('bad-configuration', /permission denied for table guard/),
  )
})

test('a server that is down, silent or no PostgreSQL cannot be reached, which may pass', async () => {
  const server = await privateServer()
  await server.kill('SIGQUIT')
  await expect(opened(server.url())).rejects.toMatchObject(
    told('store-busy', /cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\): try again$/),
  )
  await expect(opened('postgres://u@host.invalid/db')).rejects.toMatchObject(told('store-busy', /cannot be reached/))
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  await expect(opened(`postgres://u@127.0.0.1:${port}/db`)).rejects.toMatchObject(
    told('store-busy', /cannot be reached \(.*timeout.*\): try again$/),
  )
})

test('a connection that is lost in the middle is busy, and the next call has another one', async () => {
  const server = await privateServer()
  const url = await server.newDatabase()
  const store = await opened(url)
  const blocker = await openSession(url)
  await blocker.query('BEGIN')
  await blocker.query('LOCK TABLE guard IN ACCESS EXCLUSIVE MODE')
  const landing = expect(landRaw(store, [event('a')])).rejects.toMatchObject(
    told('store-busy', /connection to the store was lost \(terminating connection due to administrator command\)/),
  )
  const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'cooler-reports'"
  await eventually(() => firstValue(server.url(), `SELECT count(*)::int ${waiting}`)).toBeGreaterThan(0)
  await firstValue(server.url(), `SELECT pg_terminate_backend(pid) ${waiting}`)
  await landing
  await blocker.query('ROLLBACK')
  await landRaw(store, [event('a')])
  expect((await store.landing.counters()).landed).toBe(1)

  const { session } = closedAfter(new Postgres(url))
  let rows = 0
  await expect(
    session.copyOut('SELECT generate_series(1, 1000000000)', () => {
      if (++rows === 1000) void server.kill('SIGKILL')
    }),
  ).rejects.toMatchObject(told('store-busy', /(cannot be reached|was lost)/))
  await server.restart()
  expect((await store.landing.counters()).landed).toBe(1)
})

test.runIf(canMount())('a full disk is full, and when there is room everything goes on', async () => {
  const folder = unprivilegedFolder('cooler-small-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const makeRoom = mountSmallDisk(folder)
  const { uid = 0, gid = 0 } = unprivilegedUser()
  chownSync(folder, uid, gid)
  const server = await privateServer()
  await firstValue(server.url(), `CREATE TABLESPACE small LOCATION '${folder}'`)
  const url = await server.newDatabase()
  await firstValue(server.url(), `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_tablespace = small`)
  const store = await opened(url)
  const land = () =>
    landRaw(
      store,
      Array.from({ length: 10_000 }, (_, nth) => event(`${nth}`.padEnd(250, 'x'))),
    )
  await expect(land()).rejects.toMatchObject(
    told('store-full', /has no room left \(could not extend file .*No space left on device\): make room on it$/),
  )
  expect((await store.landing.counters()).landed).toBe(0)
  makeRoom?.()
  await land()
  expect((await store.landing.counters()).landed).toBe(10_000)
})
