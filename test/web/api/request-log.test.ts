import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Metrics } from '../../../src/base/metrics.ts'
import { measured, readServiceState } from '../../../src/service/measured.ts'
import { notifierOf } from '../../../src/service/notifier-of.ts'
import { runShards } from '../../../src/store/sharded-work.ts'
import { visitors } from '../../helpers/events.ts'
import { appFixture, DAILY } from '../app-fixture.ts'
import { makeKeys } from '../keyed-app.ts'

/** A logger of that level, and what it has told. */
function kept(level: string) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level, base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { logger, lines, told: (message: string) => lines.filter(({ msg }) => msg === message) }
}

test('an error is answered with the name of its request: as the caller has it, else one of its own', async () => {
  const { app } = await appFixture()
  const idOf = async (given?: string): Promise<unknown> =>
    (await app.inject({ url: '/nothing', headers: given === undefined ? {} : { 'x-request-id': given } })).headers[
      'x-request-id'
    ]
  expect(await idOf('shop-7:42.b_C')).toBe('shop-7:42.b_C')
  const own = [await idOf(), await idOf(), await idOf(''), await idOf('a b'), await idOf('x'.repeat(65))]
  expect(new Set(own).size).toBe(5)
  for (const id of own) expect(id).toMatch(/^[\w-]{8}-\d+$/)
})

test('at debug each answer is one line, with its route and key, and nothing of what was asked', async () => {
  const { logger, told } = kept('debug')
  const { keys, settings } = makeKeys({ reader: { scopes: ['read'] } })
  const { app } = await appFixture(settings, { logger })
  const headers = { 'x-api-key': keys.reader }
  await app.inject({ method: 'GET', url: '/v1/devices/secret-name?more=secret', headers })
  await app.inject({ method: 'POST', url: '/v1/rollups', headers: { ...headers, 'x-request-id': 'mine' } })
  expect(told('answered')).toMatchObject([
    { method: 'GET', route: '/v1/devices/:id', status: 404, key: 'reader', seconds: expect.any(Number) },
    { method: 'POST', route: '/v1/rollups', status: 403, key: 'reader', reqId: 'mine' },
  ])
  expect(told('refused')).toMatchObject([{ reqId: 'mine', code: 'forbidden' }])
  expect(JSON.stringify([told('answered'), told('refused')])).not.toMatch(/secret|cooler_/)
})

test('at info an answer is no line, but a failure is', async () => {
  const { logger, lines } = kept('info')
  const { get, post } = await appFixture({}, { logger })
  await post(DAILY, { day: 20250601 })
  expect(lines).toEqual([])
  await get('/readyz')
  expect(lines).toMatchObject([{ msg: 'request failed', route: '/readyz', reqId: expect.any(String) }])
})

test('each outcome is one line: what came to something at info, the rest at debug', async () => {
  const { logger, lines } = kept('debug')
  const { service } = await appFixture()
  const { pipeline } = service
  const notifier = notifierOf(service.config, pipeline)
  const stages = measured(pipeline, new Metrics(() => readServiceState(pipeline, null)), logger, notifier)
  await stages.land({ events: [visitors('a', 1), { ...visitors('a', 2), type: 'humidity' }, 5] })
  await runShards(stages.rollUp, { now: Date.now(), refresh: true })
  await runShards(stages.rollUp, { now: Date.now(), refresh: true })
  await runShards(stages.compact, { now: Date.now() })
  await stages.pruneRaw(Date.now())
  const seconds = expect.any(Number)
  expect(lines).toMatchObject([
    { level: 20, msg: 'landed', landed: 1, rejected: 2, reasons: ['unknown-type', 'not-an-object'], seconds },
    { level: 30, msg: 'rolled up', events: 1, seconds },
    { level: 20, msg: 'rolled up', deviceDays: 0, seconds },
    { level: 30, msg: 'compacted', days: 1, events: 1, seconds },
    { level: 20, msg: 'raw events deleted', days: 0, seconds },
  ])
})
