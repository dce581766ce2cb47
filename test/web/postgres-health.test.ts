import { expect, onTestFinished, test } from 'vitest'
import type { ServerState } from '../../src/base/server-state.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { firstValue } from '../helpers/postgres-database.ts'
import { startPostgresServer } from '../helpers/postgres-server.ts'
import { openSession } from '../helpers/postgres-sessions.ts'
import { startStandby } from '../helpers/postgres-standby.ts'
import { temporaryService } from '../helpers/temporary-service.ts'

test('status and metrics have the state of the server, without what its role may not see', async () => {
  const server = await startPostgresServer()
  onTestFinished(() => server.stop())
  const url = await server.newDatabase()
  await firstValue(url, 'CREATE ROLE app LOGIN')
  await firstValue(url, 'GRANT CREATE ON SCHEMA public TO app')
  const service = await temporaryService({ api: true, work: false }, { COOLER_STORE: url.replace('cooler@', 'app@') })
  const status = async () =>
    ((await (await fetch(`${service.url}/v1/status`)).json()) as { server: ServerState }).server
  const metrics = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Object.fromEntries(
      [...text.matchAll(/^(?:cooler_(postgres_\w+|store_\w+)) (\S+)$/gm)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    )
  }
  // Opening a store updates some rows.
  const none = { replicas: 0, excessDeadRows: expect.any(Number), partitionDaysAhead: -1 }
  const hidden = { synchronousReplicas: null, replicationLagSeconds: null, oldestTransactionSeconds: null }
  expect(await status()).toEqual({ ...none, ...hidden })
  expect(await metrics()).toEqual({
    store_bytes: expect.any(Number),
    store_wal_bytes: 0,
    postgres_replicas: 0,
    postgres_excess_dead_rows: expect.any(Number),
    postgres_partition_days_ahead: -1,
  })

  await firstValue(url, 'GRANT pg_monitor TO app')
  const standby = await startStandby(server, { synchronous: true })
  onTestFinished(() => standby.stop())
  await service.intake.accept({ events: [visitors('a', 1)] })
  await service.pipeline.upkeep.compact(Date.now())
  const open = await openSession(url)
  await open.query('BEGIN')
  await open.query('CREATE TABLE mine (id int)')
  await eventually(async () => (await status()).oldestTransactionSeconds).toBeGreaterThan(0.2)
  expect(await metrics()).toMatchObject({ postgres_replicas: 1, postgres_synchronous_replicas: 1 })
  const told = await status()
  expect([told.replicas, told.synchronousReplicas, (told.replicationLagSeconds ?? 60) < 60]).toEqual([1, 1, true])
  expect(told.partitionDaysAhead).toBeGreaterThanOrEqual(8)
  expect((await metrics()).postgres_oldest_transaction_seconds).toBeGreaterThan(0.2)

  await server.kill('SIGQUIT')
  const text = await (await fetch(`${service.url}/metrics`)).text()
  expect(text).toMatch(/^cooler_part_up\{part="store"\} 0$/m)
  expect(await metrics()).toEqual({})
  expect((await fetch(`${service.url}/v1/status`)).status).toBe(503)
})
