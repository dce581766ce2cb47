import { afterAll, describe, expect, test } from 'vitest'
import { DAY } from '../../helpers/events.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { appFixture, DAILY, SUMMARY } from '../app-fixture.ts'
import { dashboardFile } from '../dashboard-files.ts'
import { dial } from '../dial.ts'
import { cooler } from '../every-figure.ts'
import { makeKeys } from '../keyed-app.ts'
import { DOCUMENT, expectDocumented, operations } from './documented.ts'
import { callsOf } from './live.ts'
import { askForNotices } from './notice-calls.ts'

/** What live services have answered: calls, statuses and codes. Every answer has been held against the document. */
const seen = new Set<string>()

const live = async (settings: Record<string, string> = {}) => {
  const service = await temporaryService({ api: true, work: false }, settings)
  return { service, ask: callsOf(service.url, seen) }
}

const NEXT_DAY = DAY + 1
const NOW = () => new Date().toISOString()
const TELEMETRY = 'POST /v1/telemetry'
const DEVICE = 'GET /v1/devices/{id}'
const EXPLAIN = 'GET /v1/devices/{id}/days/{day}'
const EVENTS = 'GET /v1/devices/{id}/events'
const DAYS = 'GET /v1/devices/{id}/days'
const FLEET = 'GET /v1/fleet'
const PUT_LABELS = 'PUT /v1/devices/{id}/labels'
const ERASE = 'DELETE /v1/devices/{id}/events'
const params = { id: 'a', day: String(DAY) }

/** What a reading can tell, all of it: repeats, restarts, contrary states, silence and spikes. */
const everyReading = [
  ...cooler('a'),
  { deviceId: 'a', at: '2025-06-01T07:00:00Z', type: 'door', open: true, seq: 3 },
  { deviceId: 'a', at: '2025-06-01T07:00:00Z', type: 'door', open: true, seq: 3 },
  { deviceId: 'a', at: '2025-06-01T08:00:00Z', type: 'visitor', total: 9 },
  { deviceId: 'a', at: '2025-06-01T08:01:00Z', type: 'visitor', total: 4 },
  { deviceId: 'a', at: '2025-06-01T09:00:00Z', type: 'power', on: true },
  { deviceId: 'a', at: '2025-06-01T09:00:00Z', type: 'power', on: false },
  { deviceId: 'a', at: '2025-06-01T12:00:20Z', type: 'gps', lat: 0.5, lon: 100, address: 'Nowhere' },
  { deviceId: 'a', at: '2025-06-01T12:00:40Z', type: 'gps', lat: 52.5, lon: 13.403 },
  { deviceId: 'a', at: '2025-06-01T18:00:00Z', type: 'visitor', count: 1 },
  { deviceId: 'a', at: '2025-06-02T23:00:00Z', type: 'power', on: false },
]

describe('good answers are as the document says', () => {
  test('of telemetry, rollups, reports and explanations', async () => {
    const { ask, service } = await live({ COOLER_SILENCE_LIMIT_HOURS: '3', COOLER_RAW_RETENTION_DAYS: '400' })
    expect((await ask('GET /v1/status')).body).toMatchObject({ queue: null, lastRollupAt: null })
    const bad = [7, { deviceId: 'a', at: '2025-06-01T10:00:00Z', type: 'door' }]
    expect((await ask(TELEMETRY, { body: [...everyReading, ...bad] })).body).toMatchObject({ rejected: 2 })
    const lines = everyReading.map((event) => JSON.stringify(event)).join('\n')
    await ask(TELEMETRY, { body: lines, headers: { 'content-type': 'application/x-ndjson' } })
    expect((await ask(EXPLAIN, { params })).body).toMatchObject({ status: 'provisional', asOf: null })
    await ask('POST /v1/rollups', { body: { fromDay: DAY, toDay: NEXT_DAY, wait: true } })
    const { readings, spans } = (await ask(EXPLAIN, { params })).body
    const told = new Set([...readings, ...spans].flatMap((part: object) => Object.keys(part)))
    const { Reading, PowerSpan } = DOCUMENT.components.schemas
    expect([...told].sort()).toEqual(
      [...new Set([...Object.keys(Reading.properties ?? {}), ...Object.keys(PowerSpan.properties ?? {})])].sort(),
    )
    expect((await ask(EXPLAIN, { params, query: '?figure=currTemp&limit=1' })).body.next).not.toBe(null)
    const query = '?from=2025-06-01T00:00:00Z&to=2025-06-04T00:00:00Z'
    const landed = (await ask(EVENTS, { params, query })).body.readings
    const fields = Object.keys(DOCUMENT.components.schemas.LandedReading.properties ?? {})
    expect([...new Set(landed.flatMap(Object.keys))].sort()).toEqual(fields.sort())
    expect((await ask(EVENTS, { params, query: `${query}&limit=1` })).body.next).not.toBe(null)
    await ask(`POST ${DAILY}`, { body: { day: DAY } })
    for (const format of ['json', 'csv', 'xlsx', 'parquet']) {
      await ask(`POST ${DAILY}`, { body: { day: DAY }, query: `?format=${format}` })
      await ask('GET /v1/reports/daily', { query: `?day=${DAY}&format=${format}` })
      await ask('GET /v1/reports/summary', { query: `?startDay=${DAY}&endDay=${NEXT_DAY}&format=${format}` })
    }
    await ask(`POST ${SUMMARY}`, { body: { startDay: DAY, endDay: NEXT_DAY, assertIds: ['a', 'b'] } })
    await ask(TELEMETRY, { body: [{ deviceId: 'a', at: '2025-06-01T13:00:00Z', type: 'visitor', count: 2 }] })
    expect((await ask(EXPLAIN, { params })).body.waiting).toBe(1)
    await ask('POST /v1/rollups', { body: { fromDay: DAY, toDay: DAY, wait: true } })
    expect((await ask(EXPLAIN, { params })).body).toMatchObject({ status: 'revised', revisions: [{ number: 1 }] })
    await service.pipeline.upkeep.pruneRaw(Date.now())
    expect((await ask(EXPLAIN, { params })).body).toMatchObject({ rawPurged: true, readings: null, spans: null })
    expect((await ask(ERASE, { params })).body.code).toBe('raw-purged')
    expect((await ask(EVENTS, { params, query })).body.purgedBefore).not.toBe(null)
    await ask('GET /v1/status')
  })

  test('of devices and what waits for them', async () => {
    const { ask } = await live()
    const put = 'PUT /v1/devices/{id}'
    const place = { at: NOW(), lat: 52.5, lon: 13.4 }
    expect((await ask(put, { params, body: {} })).body).toMatchObject({ placements: [], firstHeardAt: null })
    await ask(TELEMETRY, { body: cooler('a') })
    expect((await ask(EXPLAIN, { params })).body).toMatchObject({ status: 'provisional', coverage: { onSeconds: 0 } })
    await ask('POST /v1/rollups', { body: { fromDay: DAY, toDay: DAY, wait: true } })
    const placements = [{ ...place, seq: 1, timezone: 'Europe/Berlin', address: 'Hauptstraße 1' }, place]
    await ask(put, { params, body: { placements, retired: true } })
    expect((await ask(EXPLAIN, { params })).body.due).toEqual({ causes: ['placement'] })
    await ask(put, { params: { id: 'b/c' }, body: { placements: [{ ...place, address: null }] } })
    const { days } = (await ask(DAYS, { params, query: `?fromDay=${DAY}&toDay=${NEXT_DAY}` })).body
    expect(days).toMatchObject([{ day: DAY }, { day: NEXT_DAY }])
    await ask(DAYS, { params, query: `?fromDay=${DAY}` })
    const dot = { params: { id: '-' }, query: `?deviceId=..&fromDay=${DAY}&toDay=${DAY}` }
    expect((await ask(DAYS, dot)).status).toBe(404)
    expect((await ask(FLEET, { query: `?day=${DAY}&sort=exceptions&limit=1` })).body).toMatchObject({ next: 1 })
    expect((await ask(FLEET, { query: `?fromDay=${DAY}&toDay=${NEXT_DAY}` })).body.rows).toHaveLength(2)
    for (const format of ['csv', 'xlsx', 'parquet']) await ask(FLEET, { query: `?day=${DAY}&format=${format}` })
    expect((await ask(FLEET, { query: '?day=1' })).status).toBe(400)
    const heat = await ask(FLEET, { query: `?fromDay=${DAY}&toDay=${NEXT_DAY}&daily=currTemp` })
    expect(heat.body.rows[0].daily).toHaveLength(2)
    expect((await ask('GET /v1/fleet/map', { query: `?day=${DAY}` })).body).toMatchObject({ matching: 2 })
    expect((await ask('GET /v1/fleet/map', { query: '' })).status).toBe(400)
    expect((await ask(PUT_LABELS, { params, body: { route: '12' } })).body.labels).toEqual({ route: '12' })
    expect((await ask(FLEET, { query: `?day=${DAY}&label=route:12&sort=label:route` })).body).toMatchObject({
      matching: 1,
    })
    expect((await ask('GET /v1/devices', { query: '?limit=1' })).body).toMatchObject({ next: 'a' })
    expect((await ask('GET /v1/devices', { query: '?after=a' })).body.next).toBe(null)
    expect((await ask(DEVICE, { params })).body.placements).toHaveLength(2)
    await ask(EXPLAIN, { params: { id: 'b/c', day: '20300101' } })
    await ask(`POST ${DAILY}`, { body: { day: 20300101 } })
    await ask(`POST ${SUMMARY}`, { body: { startDay: DAY, endDay: DAY, assertIds: null } })
    await ask('POST /v1/rollups', { body: { fromDay: DAY, toDay: DAY } })
    expect((await ask(ERASE, { params, query: '?type=visitor' })).body.byType).toHaveProperty('visitor')
    await ask(ERASE, { params, query: '?type=visitor' })
  })

  test('of rejected events and of the service', async () => {
    const { ask } = await live()
    await ask(TELEMETRY, { body: [1, 2, 3] })
    expect((await ask('GET /v1/rejects', { query: '?limit=2' })).body).toMatchObject({ next: 2 })
    expect((await ask('GET /v1/rejects', { query: '?before=2' })).body).toMatchObject({ next: null })
    expect((await ask('POST /v1/rejects/replay', { body: { ids: [1] } })).body).toMatchObject({ rejected: 1 })
    for (const path of [
      '/metrics',
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/docs',
      '/docs/reference.js',
      '/v1/status',
      '/',
    ])
      await ask(`GET ${path}`)
    for (const file of ['.css', '.js'].map(dashboardFile)) await ask('GET /dashboard/{file}', { params: { file } })
    expect((await ask('GET /dashboard/{file}', { params: { file: 'none' } })).status).toBe(404)
  })

  test('of subscriptions and messages', async () => {
    const { ask, service } = await live()
    await askForNotices(ask, service)
  })
})

describe('errors are as the document says', () => {
  test('of requests that are wrong', async () => {
    const { ask } = await live({ COOLER_BODY_LIMIT_MB: '1' })
    for (const { method, path, operation } of operations()) {
      const call = `${method} ${path}`
      if (operation.requestBody === undefined) continue
      expect((await ask(call, { params, body: '' })).status).toBe(400)
      expect((await ask(call, { params, body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
      await ask(call, { params, body: '{}', headers: { 'content-type': 'text/plain' } })
      await ask(call, { params, body: '{}', headers: { 'content-type': ';' } })
    }
    for (const call of ['GET /v1/devices', 'GET /v1/rejects', EXPLAIN, EVENTS]) {
      expect((await ask(call, { params, query: '?limit=0' })).status).toBe(400)
    }
    expect((await ask(TELEMETRY, { body: new Array(10_001).fill(0) })).status).toBe(413)
    const unknown = { params: { ...params, id: 'unknown' } }
    expect((await ask(PUT_LABELS, { ...unknown, body: {} })).status).toBe(404)
    for (const call of [DEVICE, EXPLAIN, ERASE]) expect((await ask(call, unknown)).status).toBe(404)
    expect((await ask(EVENTS, { ...unknown, query: '?from=1748736000000&to=1748736000001' })).status).toBe(404)
  })

  test('of callers without a key, with one of another scope, and of those who call too often', async () => {
    const { keys, settings } = makeKeys({ sender: { scopes: ['ingest'] }, reader: { scopes: ['read'] } })
    const { ask } = await live({ ...settings, COOLER_RATE_LIMIT: '60' })
    for (const { method, path, operation } of operations()) {
      if (operation.security.length === 0) continue
      const call = `${method} ${path}`
      const other = path === '/v1/telemetry' ? keys.reader : keys.sender
      expect((await ask(call, { params })).status).toBe(401)
      expect((await ask(call, { params, headers: { 'x-api-key': other } })).status).toBe(403)
    }
    const statuses = Array.from({ length: 70 }, async () => (await ask('GET /v1/devices')).status)
    expect(await Promise.all(statuses)).toContain(429)
  })

  test('of a queue that is away, and of a store that is', async () => {
    const { ask } = await live({ REDIS_URL: 'redis://127.0.0.1:1' })
    const days = { fromDay: DAY, toDay: DAY, wait: true }
    expect((await ask(TELEMETRY, { body: cooler('a') })).body.code).toBe('queue-unavailable')
    expect((await ask('POST /v1/rollups', { body: days })).body.code).toBe('queue-unavailable')
    for (const path of ['/v1/status', '/readyz']) expect((await ask(`GET ${path}`)).status).toBe(503)
    const direct = await live()
    await direct.service.pipeline.reader.close()
    for (const call of ['GET /v1/status', 'GET /readyz', 'GET /v1/devices', DEVICE, 'GET /v1/rejects']) {
      expect((await direct.ask(call, { params })).body.code).toBe('internal')
    }
  })

  test.each([
    // Only what never arrives is given little time: a busy machine may need some.
    ['arrives', {}, `x: ${'x'.repeat(17_000)}\r\n\r\n`, 'head-too-large'],
    ['does not arrive', { headMs: 50, requestMs: 50, checkEveryMs: 10 }, '', 'request-timeout'],
  ])('of a head that %s', async (_, wireLimits, rest, code) => {
    const { app } = await appFixture({}, { wireLimits })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { socket, read, text } = await dial(url)
    socket.write(`GET /docs HTTP/1.1\r\nhost: localhost\r\n${rest}`)
    await read(new RegExp(`"code":"${code}"`))
    const body = JSON.parse(text().slice(text().indexOf('\r\n\r\n')))
    const { status } = body
    seen.add(
      expectDocumented('GET', '/docs', { status, contentType: 'application/json', body, headers: new Headers() }),
    )
    await app.close()
  })
})

afterAll(() => {
  const good = operations().flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses)
      .filter((status) => status.startsWith('2'))
      .map((status) => `${method} ${path} ${status}`),
  )
  expect(good.filter((answer) => !seen.has(answer))).toEqual([])
  const codes = new Set([...seen].map((answer) => answer.split(' ')[3]).filter((code) => code !== undefined))
  // What else there is needs a store or queue that is full or damaged, or a service that ends: the envelope is the same.
  const others = Object.keys(DOCUMENT.components.examples).filter((code) => !codes.has(code))
  expect(others.sort()).toEqual([
    'other-rules',
    'overloaded',
    'queue-full',
    'shutting-down',
    'store-behind',
    'store-busy',
    'store-damaged',
    'store-full',
    'store-gone',
    'store-too-new',
  ])
})
