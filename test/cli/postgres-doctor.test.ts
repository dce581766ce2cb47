import { expect, onTestFinished, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { firstValue, withClient } from '../helpers/postgres-database.ts'
import { type PostgresOptions, type PostgresServer, startPostgresServer } from '../helpers/postgres-server.ts'
import { openSession } from '../helpers/postgres-sessions.ts'
import { startStandby } from '../helpers/postgres-standby.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { cooler } from './cooler.ts'
import { doctor, saying } from './doctor-fixture.ts'
import { land, rollUp } from './in-process.ts'

async function privateServer(options?: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgresServer(options)
  onTestFinished(() => server.stop())
  return server
}

/** The same database as another role. */
const as = (url: string, user: string): string => url.replace(/\/\/\w+@/, `//${user}@`)

const warning = (message: RegExp) => ({ severity: 'warning', message: saying(message) })
const failure = (message: RegExp) => ({ severity: 'failure', message: saying(message) })

test('makes no store where there is none, and finds nothing wrong with one that is kept', async () => {
  const url = await temporaryDatabase()
  const program = cooler({ COOLER_STORE: url })
  const fresh = await doctor(program)
  expect([fresh.code, fresh.stderr]).toEqual([0, ''])
  expect(fresh.found.get('store')).toMatchObject({ severity: 'ok', message: saying(/PostgreSQL \d.*not there yet/) })
  expect(await firstValue(url, 'SELECT count(*)::int FROM pg_stat_user_tables')).toBe(0)

  await land(program, [visitors('a', 1)])
  expect((await doctor(program)).found.get('store partitions')).toMatchObject(warning(/of today are missing/))
  await rollUp(program)
  await program.run(['compact'])
  const { code, found } = await doctor(program)
  expect(code).toBe(0)
  const own = [...found.values()].filter(({ check }) => /^(store|work)/.test(check))
  expect(own.filter(({ severity }) => severity !== 'ok').map(({ check }) => check)).toEqual(['store replication'])
  expect(own.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    saying(/^store: postgres:\/\/.*PostgreSQL \d+\.\d+.*, schema \d+, [\d.]+ MiB$/),
    saying(/^store connection: 127\.0\.0\.1:\d+ is a primary$/),
    saying(/^store rights: cooler may create tables and partitions in the schema public$/),
    saying(/^store replication: no standby is connected/),
    saying(/^store snapshots: /),
    saying(/^store partitions: there for ([89]|1\d) days after today$/),
    saying(/^store dead rows: /),
    saying(/^store compression: lz4$/),
    saying(/^store checksums: /),
    saying(/^store clock: 0\.\d s /),
    saying(/^work rollups: /),
    saying(/^work clock: /),
    saying(/^work rules: /),
    saying(/^work raw retention: /),
  ])
})

test('a store of another schema is told, and --deep names damaged parts', async () => {
  const url = await temporaryDatabase()
  const program = cooler({ COOLER_STORE: url })
  await land(program, [visitors('a', 1), visitors('b', 2)])
  await rollUp(program)
  const parts = async () => (await program.run(['doctor', '--deep'])).stdout
  expect(await parts()).toMatch(/^ok {7}store parts +no damage found in [4-9] parts$/m)
  await firstValue(url, 'UPDATE state_block SET body = set_byte(body, 20, 255 - get_byte(body, 20))')
  expect(await parts()).toMatch(/^failure {2}store parts +[12] of [4-9] parts are damaged: /m)

  await firstValue(url, 'UPDATE guard SET schema = schema + 1')
  expect((await doctor(program)).found.get('store')).toMatchObject(warning(/may still be used/))
  await firstValue(url, 'UPDATE guard SET oldest_writer = schema')
  const newer = await doctor(program)
  expect(newer.code).toBe(1)
  expect(newer.found.get('store')).toMatchObject(failure(/this program knows schemas up to \d+$/))
  await firstValue(url, 'UPDATE guard SET schema = 0, oldest_writer = 0')
  expect((await doctor(program)).found.get('store')).toMatchObject(warning(/the next start brings it to/))
  await firstValue(url, 'DROP TABLE guard')
  expect((await doctor(program)).found.get('store')).toMatchObject(failure(/is of another program/))
})

test('a server that cannot be used is one clear sentence, and no folder is made', async () => {
  const server = await privateServer({ passwordRoles: ['app'] })
  const url = await server.newDatabase()
  await firstValue(url, "CREATE ROLE app LOGIN PASSWORD 'right'")
  const program = cooler()
  const connection = async (location: string) => {
    const { code, found } = await doctor(program, { COOLER_STORE: location })
    return [code, found.get('store connection') ?? found.get('settings')]
  }
  expect(await connection(as(url, 'app:wrong'))).toEqual([
    1,
    expect.objectContaining(failure(/password authentication failed for user "app"/)),
  ])
  expect(await connection(as(url, 'app'))).toEqual([1, expect.objectContaining(failure(/asks for a password/))])
  expect(await connection(as(url, 'nobody'))).toEqual([
    1,
    expect.objectContaining(failure(/role "nobody" does not exist/)),
  ])
  expect(await connection(server.url('nothing'))).toEqual([
    1,
    expect.objectContaining(failure(/database "nothing" does not exist: create it/)),
  ])
  expect(await connection('postgres://127.0.0.1')).toEqual([
    1,
    expect.objectContaining(failure(/not the URL of a database: write/)),
  ])
  expect(await connection(`${url}?sslmode=require`)).toEqual([1, expect.objectContaining(failure(/has no TLS/))])
  await server.kill('SIGQUIT')
  expect(await connection(url)).toEqual([
    1,
    expect.objectContaining(failure(/cannot be reached \(connect ECONNREFUSED/)),
  ])
})

test('a role without rights, or without sight of the sessions of others', async () => {
  const url = await temporaryDatabase()
  const role = `app_${Date.now()}`
  const program = cooler({ COOLER_STORE: as(url, role) })
  const rights = async () => (await doctor(program)).found.get('store rights')
  await firstValue(url, `CREATE ROLE ${role} LOGIN`)
  onTestFinished(async () => {
    for (const drop of ['OWNED BY', 'ROLE']) await firstValue(url, `DROP ${drop} ${role}`)
  })
  expect(await rights()).toMatchObject(failure(/may not create tables in the schema public/))
  await firstValue(url, `GRANT CREATE ON SCHEMA public TO ${role}`)
  expect(await rights()).toMatchObject({ severity: 'ok' })
  await firstValue(url, 'REVOKE USAGE ON SCHEMA public FROM public')
  expect(await rights()).toMatchObject(failure(/may use no schema of the database/))
  await firstValue(url, 'GRANT USAGE ON SCHEMA public TO public')
  await land(cooler({ COOLER_STORE: url }), [visitors('a', 1)])
  await firstValue(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
  expect(await rights()).toMatchObject(failure(/tables belong to another role \(compacted, .*cannot add partitions/))
  const { found } = await doctor(program)
  expect(found.get('store snapshots')).toMatchObject({ severity: 'unknown', advice: saying(/pg_monitor/) })
  await firstValue(url, `GRANT pg_monitor TO ${role}`)
  expect((await doctor(program)).found.get('store snapshots')).toMatchObject({ severity: 'ok' })
})

test('replication: none, asynchronous, synchronous, hidden, turned off and waited for in vain', async () => {
  const primary = await privateServer()
  const url = await primary.newDatabase()
  const program = cooler({ COOLER_STORE: url })
  const replication = async () => (await doctor(program)).found.get('store replication')
  expect(await replication()).toMatchObject(warning(/no standby is connected/))
  const standby = await startStandby(primary)
  onTestFinished(() => standby.stop())
  expect(await replication()).toMatchObject(warning(/^1 standby, for which no commit waits: a failover loses/))
  const set = async (statement: string): Promise<void> => {
    await withClient(url, (client) => client.query(statement))
    await withClient(url, (client) => client.query('SELECT pg_reload_conf()'))
  }
  await set("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await eventually(async () => (await replication())?.message).toMatch(
    /^1 standby, of which commits wait for 1; \d+\.\d s behind/,
  )
  await set("ALTER SYSTEM SET synchronous_commit = 'local'")
  await eventually(async () => (await replication())?.message).toMatch(/synchronous_commit is local for our role/)
  await firstValue(url, 'CREATE ROLE plain LOGIN')
  await set('ALTER SYSTEM RESET synchronous_commit')
  const plain = await doctor(program, { COOLER_STORE: as(url, 'plain') })
  expect(plain.found.get('store replication')).toMatchObject({ severity: 'unknown', advice: saying(/pg_monitor/) })

  const both = url.replace(/@[^/]+/, (host) => `@127.0.0.1:${standby.port},${host.slice(1)}`)
  const { found } = await doctor(program, { COOLER_STORE: both })
  expect(found.get('store connection')?.message).toMatch(
    /^127\.0\.0\.1:\d+ is a standby; 127\.0\.0\.1:\d+ is a primary$/,
  )
  const alone = await doctor(program, { COOLER_STORE: url.replace(/:\d+\//, `:${standby.port}/`) })
  expect(alone.found.get('store connection')).toMatchObject({ ...failure(/is a standby$/), advice: saying(/primary/) })

  await set("ALTER SYSTEM SET synchronous_standby_names = 'other'")
  await eventually(async () => (await replication())?.message).toMatch(/none that .*\(other\) names/)
  await standby.kill('SIGQUIT')
  await eventually(async () => (await replication())?.message).toMatch(
    /^commits wait for a standby .*none is connected$/,
  )
  await standby.restart()
  await standby.promote()
  const split = await doctor(program, { COOLER_STORE: both })
  expect(split.found.get('store connection')).toMatchObject({ severity: 'failure', advice: saying(/stop the primary/) })
})

test('an open transaction, autovacuum that is off and another compression are told', async () => {
  const server = await privateServer({ settings: { autovacuum: 'off', track_counts: 'on' } })
  const url = await server.newDatabase()
  const program = cooler({ COOLER_STORE: url })
  await land(program, [visitors('a', 1)])
  const session = await openSession(url)
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await session.query('SELECT FROM guard')
  const { found } = await doctor(program)
  expect(found.get('store snapshots')).toMatchObject({
    severity: 'ok',
    message: saying(/^the oldest transaction has been open for 0\.\d minutes \(process \d+ of cooler/),
  })
  expect(found.get('store dead rows')).toMatchObject(warning(/autovacuum is off/))
  await session.query('ROLLBACK')
  await firstValue(url, 'ALTER TABLE segment ALTER COLUMN body SET COMPRESSION pglz')
  expect((await doctor(program)).found.get('store compression')).toMatchObject(warning(/pglz.*though it knows lz4/))
})

test('replicas for reports: good, of another store, and away', async () => {
  const server = await privateServer()
  const [url, other] = [await server.newDatabase(), await server.newDatabase()]
  const standby = await startStandby(server)
  onTestFinished(() => standby.stop())
  const program = cooler({ COOLER_STORE: url })
  for (const each of [url, other]) await program.run(['rollup'], { env: { COOLER_STORE: each } })
  const replica = url.replace(/:\d+\//, `:${standby.port}/`)
  const found = async (location: string) =>
    (await doctor(program, { COOLER_REPORT_STORE: location })).found.get('report store')
  await eventually(async () => (await found(replica))?.severity).toBe('ok')
  expect(await found(replica)).toMatchObject({ message: saying(/, at version [\d.]+; the store is at [\d.]+$/) })
  expect(await found(other)).toMatchObject(warning(/no replica of COOLER_STORE/))
  await standby.kill('SIGKILL')
  expect(await found(replica)).toMatchObject(warning(/cannot be reached/))
  expect((await doctor(program)).found.has('report store')).toBe(false)
})
