import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { loopbackPort } from '../helpers/loopback-port.ts'
import { firstValue } from '../helpers/postgres-database.ts'
import { postgresProgram } from '../helpers/postgres-programs.ts'
import { startPostgresServer } from '../helpers/postgres-server.ts'
import { startGuard } from '../helpers/process-guard.ts'
import { unprivilegedFolder, unprivilegedUser } from '../helpers/unprivileged.ts'
import { startUnprivileged } from '../helpers/unprivileged-process.ts'
import { composeFile, inContainer } from './compose-file.ts'
import { cooler } from './cooler.ts'
import { doctor } from './doctor-fixture.ts'
import { land } from './in-process.ts'

const { services, configs } = composeFile()
const PASSWORDS = { REPLICATION_PASSWORD: 'b', STORE_PASSWORD: 'c' }
const PROGRAMS = `${dirname(postgresProgram('psql'))}:${process.env.PATH}`

/** What the container of PostgreSQL does before its first start: the image has a superuser `postgres`. */
function makeRoles(port: number, data: string): void {
  const as = (user: string, ...args: string[]) =>
    spawnSync(postgresProgram('psql'), ['-qh', '127.0.0.1', '-p', `${port}`, '-U', user, 'postgres', '-c', ...args])
  as('cooler', 'CREATE ROLE postgres SUPERUSER LOGIN')
  as('postgres', 'ALTER ROLE cooler RENAME TO first')
  const env = { ...PASSWORDS, PATH: PROGRAMS, PGHOST: '127.0.0.1', PGPORT: `${port}`, PGDATA: data }
  const { status, stderr } = spawnSync('sh', ['-ec', inContainer(configs.roles.content)], { env })
  expect([status, String(stderr)]).toEqual([0, ''])
}

test('the roles and the standby of the compose file are made by its own commands, and the standby takes over', async () => {
  const port = await loopbackPort()
  const folder = unprivilegedFolder('cooler-standby-')
  // What the standby copies: two servers on one machine need ports of their own.
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  const primary = await startPostgresServer({ settings })
  onTestFinished(() => primary.stop())
  makeRoles(primary.port, join(primary.folder, 'data'))
  await primary.restart()

  const guard = startGuard(folder)
  onTestFinished(() => guard.end())
  const [shell, flags, script] = services.standby.entrypoint ?? []
  const to = { PGHOST: '127.0.0.1', PGPORT: primary.port, PGDATA: join(folder, 'data'), PATH: PROGRAMS }
  const variables = { ...services.standby.environment, ...to, PGPASSWORD: PASSWORDS.REPLICATION_PASSWORD }
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  guard.watch(startUnprivileged('env', [...assigned, shell, flags, inContainer(script)], folder))
  const standbyUrl = `postgres://postgres@127.0.0.1:${port}/postgres`
  await eventually(() => firstValue(standbyUrl, 'SELECT pg_is_in_recovery()').catch(() => null)).toBe(true)

  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${port}`
  const store = (services['api-1'].environment?.COOLER_STORE ?? '')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what Docker replaces
    .replace('${STORE_PASSWORD:?}', PASSWORDS.STORE_PASSWORD)
    .replace('postgres:5432,standby:5432', hosts)
  const program = cooler({ COOLER_STORE: store })
  await land(program, [visitors('a', 1)])
  const { found } = await doctor(program)
  expect(found.get('store replication')).toMatchObject({ severity: 'ok' })
  expect(found.get('store snapshots')).toMatchObject({ severity: 'ok' })

  await primary.kill('SIGKILL')
  const promote = ['promote', '-s', '-D', join(folder, 'data')]
  expect(spawnSync(postgresProgram('pg_ctl'), promote, { ...unprivilegedUser(), cwd: folder }).status).toBe(0)
  await land(program, [visitors('a', 2)])
  expect((await program.json('devices', '--json')).length).toBe(1)
  expect(
    await firstValue(
      standbyUrl.replace(/postgres$/, 'cooler'),
      'SELECT sum(value)::int FROM counter WHERE name = $$landed$$',
    ),
  ).toBe(2)
})
