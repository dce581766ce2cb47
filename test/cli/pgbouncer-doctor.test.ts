import { expect, onTestFinished, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { startPgBouncer } from '../helpers/pgbouncer.ts'
import { startPostgresServer } from '../helpers/postgres-server.ts'
import { cooler } from './cooler.ts'
import { doctor } from './doctor-fixture.ts'
import { land } from './in-process.ts'

test('doctor looks through PgBouncer, and takes a primary with two addresses for one', async () => {
  const server = await startPostgresServer()
  onTestFinished(() => server.stop())
  const pooler = await startPgBouncer(server)
  onTestFinished(() => pooler.stop())
  const url = pooler.url(new URL(await server.newDatabase()).pathname.slice(1))
  const program = cooler({ COOLER_STORE: url.replace(/@([^/]+)/, `@$1,127.0.0.1:${server.port}`) })
  await land(program, [visitors('a', 1)])
  await program.run(['compact'])
  const { code, found } = await doctor(program)
  expect(code).toBe(0)
  const wrong = [...found.values()].filter(({ check, severity }) => check.startsWith('store') && severity !== 'ok')
  expect(wrong.map(({ check }) => check)).toEqual(['store replication'])
  expect(found.get('store connection')?.message.match(/is a primary/g)).toHaveLength(2)
})
