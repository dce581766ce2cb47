import { expect, onTestFinished, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { firstValue } from '../../helpers/postgres-database.ts'
import { type PostgresServer, startPostgresServer } from '../../helpers/postgres-server.ts'
import { startStandby } from '../../helpers/postgres-standby.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'

const DAILY = '/open/cooler/open/report_device_status/daily'

/** A service whose reports come from a standby, and calls of it. */
async function replicated() {
  const primary = await startPostgresServer()
  onTestFinished(() => primary.stop())
  const url = await primary.newDatabase()
  const standby = await startStandby(primary)
  onTestFinished(() => standby.stop())
  const database = new URL(url).pathname.slice(1)
  const onStandby = (sql: string) => firstValue(standby.url(database), sql)
  const service = await temporaryService(
    { api: true, work: false },
    { COOLER_STORE: url, COOLER_REPORT_STORE: standby.url(database) },
  )
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }
  return {
    primary,
    standby,
    onStandby,
    service,
    post,
    land: (count: number) => service.intake.accept({ events: [visitors('a', count)] }),
    /** Rolls up, and returns the version. */
    rollUp: async () => String((await post('/v1/rollups', { fromDay: DAY, toDay: DAY, wait: true })).version),
    /** The visitors in a report of all devices or of one. */
    async report(since?: string, assertIds?: string[]): Promise<number | undefined> {
      const query = since === undefined ? '' : `?since=${since}`
      const { data } = await post(DAILY + query, { day: DAY, assertIds })
      const { deviceStatusList } = data as { deviceStatusList: { visitorCount: number }[] }
      return deviceStatusList[0]?.visitorCount
    },
  }
}

const queriesOf = (server: PostgresServer): Promise<unknown> =>
  firstValue(server.url(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cooler-reports'")

test('reports come from a replica; who has just written gets what was written, whatever the replica has', async () => {
  const { standby, onStandby, land, rollUp, report } = await replicated()
  await land(3)
  const first = await rollUp()
  expect(first).toMatch(/^\d+\.\d+$/)
  expect(await report(first)).toBe(3)
  await eventually(() => report()).toBe(3)
  expect(Number(await queriesOf(standby))).toBeGreaterThan(0)

  await onStandby('SELECT pg_wal_replay_pause()')
  await land(4)
  const second = await rollUp()
  for (const ids of [undefined, ['a']]) {
    expect(await report(undefined, ids)).toBe(3)
    expect(await report(first, ids)).toBe(3)
    expect(await report(second, ids)).toBe(7)
    expect(await report(undefined, ids)).toBe(3) // What the primary answered is not kept as an answer of the replica.
  }
  await onStandby('SELECT pg_wal_replay_resume()')
  await eventually(() => report()).toBe(7)
})

test('a replica that is behind for a moment is waited for', async () => {
  const { onStandby, land, rollUp, report } = await replicated()
  await land(3)
  await report(await rollUp())
  await onStandby('SELECT pg_wal_replay_pause()')
  await land(4)
  const version = await rollUp()
  const asked = report(version)
  await onStandby('SELECT pg_wal_replay_resume()')
  expect(await asked).toBe(7)
})

test('while the replica is away the primary answers, and the replica again when it is back', async () => {
  const { standby, land, rollUp, report } = await replicated()
  await land(3)
  await rollUp()
  await eventually(() => report()).toBe(3)
  await standby.kill('SIGKILL')
  await land(4)
  await rollUp()
  expect(await report()).toBe(7)
  expect(await report(undefined, ['a'])).toBe(7)
  await standby.restart()
  await eventually(async () => {
    await report()
    return Number(await queriesOf(standby).catch(() => 0))
  }).toBeGreaterThan(0)
  expect(await report()).toBe(7)
})

test('a state that the store never had is refused, and a text that is no version', async () => {
  const { post, land, rollUp } = await replicated()
  await land(3)
  await rollUp()
  expect(await post(`${DAILY}?since=999999.1`, { day: DAY })).toMatchObject({ status: 503, code: 'store-behind' })
  for (const bad of ['x', '1', '1.2.3', '-1.2', '1e3.4']) {
    expect(await post(`${DAILY}?since=${bad}`, { day: DAY })).toMatchObject({ status: 400, code: 'bad-request' })
  }
})

test('a database that is no replica of the store is told, and the store answers', async () => {
  const server = await startPostgresServer()
  onTestFinished(() => server.stop())
  const [url, other] = [await server.newDatabase(), await server.newDatabase()]
  for (const each of [url, other]) {
    const filled = await temporaryService({ api: false, work: false }, { COOLER_STORE: each })
    await filled.intake.accept({ events: [visitors('a', each === url ? 3 : 99)] })
    await filled.rollups.run({ from: 20240, to: 20240 })
    await filled.close()
  }
  const service = await temporaryService({ api: false, work: false }, { COOLER_STORE: url, COOLER_REPORT_STORE: other })
  const task = { fromDay: 20240, toDay: 20240, within: null, now: Date.now() }
  expect(String(Buffer.from(await service.pipeline.reports.daily(task)))).toContain('"visitorCount":3')
})
