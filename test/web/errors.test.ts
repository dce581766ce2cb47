import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { appFixture, DAILY, expectError, SUMMARY } from './app-fixture.ts'

const ALLOWED = {
  [DAILY]: 'POST',
  [SUMMARY]: 'POST',
  '/v1/telemetry': 'POST',
  '/v1/rollups': 'POST',
  '/v1/devices': 'GET',
  '/v1/devices/a': 'GET, PUT',
  '/v1/rejects': 'GET',
  '/v1/status': 'GET',
  '/healthz': 'GET',
  '/readyz': 'GET',
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

describe('paths and methods', () => {
  test('a path that is none is not found, by any method', async () => {
    const { app } = await appFixture()
    const paths = ['/nothing', '/v1', '/v1/', `${DAILY}/`, `${DAILY}/summary/x`, '/V1/devices', '/v1/devices/a/b']
    for (const url of [...paths, '/open/cooler/open', '/__proto__', '/%2e%2e/etc/passwd', '/v1/devices/a/days/1/2']) {
      for (const method of METHODS)
        expectError(await app.inject({ method, url }), 'not-found', /path/, `${method} ${url}`)
    }
  })

  test('a long path is not told in full', async () => {
    const { get } = await appFixture()
    const answer = await get(`/nothing/${'x'.repeat(5000)}`)
    expectError(answer, 'not-found')
    expect(answer.body.length).toBeLessThan(400)
  })

  test('another method than those of a path is refused, and the answer tells which are allowed', async () => {
    const { app } = await appFixture()
    for (const [url, allow] of Object.entries(ALLOWED)) {
      for (const method of METHODS.filter((one) => !allow.split(', ').includes(one))) {
        const answer = await app.inject({ method, url, payload: method === 'GET' ? '' : 'any' })
        expectError(answer, 'method-not-allowed', new RegExp(method), `${method} ${url}`)
        expect(answer.headers.allow).toBe(allow)
      }
    }
  })

  test('HEAD is refused, too, without a body', async () => {
    const { app } = await appFixture()
    for (const [url, allow] of Object.entries(ALLOWED)) {
      const answer = await app.inject({ method: 'HEAD', url })
      expect([answer.statusCode, answer.headers.allow, answer.body]).toEqual([405, allow, ''])
    }
  })

  test('a broken percent-encoding is refused in the envelope, on any path', async () => {
    const { get } = await appFixture()
    for (const url of ['/%', '/v1/status%zz', `${DAILY}/%E0%A4%A`]) expectError(await get(url), 'bad-request')
  })
})

describe('a body too large', () => {
  test('is refused on every path that takes one', async () => {
    const { post, put } = await appFixture({ COOLER_BODY_LIMIT_MB: '1' })
    const large = JSON.stringify({ day: 20250601, more: 'x'.repeat(1024 * 1024) })
    for (const url of [DAILY, SUMMARY, '/v1/telemetry', '/v1/rollups']) {
      expectError(await post(url, large), 'body-too-large', /larger than (262144|1048576) bytes/)
    }
    expectError(await put('/v1/devices/a', large), 'body-too-large', /larger than (262144|1048576) bytes/)
  })
})

describe('what goes wrong inside', () => {
  test('is an internal error that tells nothing of the inside', async () => {
    const { service, get, post, put } = await appFixture()
    const database = new Database(service.config.store)
    for (const table of ['device', 'placement', 'reject', 'segment', 'due_device']) database.exec(`DROP TABLE ${table}`)
    database.close()
    const answers = [
      get('/v1/devices'),
      get('/v1/devices/a'),
      get('/v1/rejects'),
      put('/v1/devices/a', { retired: true }),
      post(DAILY, { day: 20250601 }),
      post(SUMMARY, { startDay: 20250601, endDay: 20250601, assertIds: ['a'] }),
      post('/v1/telemetry', [visitors('a', 1)]),
      post('/v1/rollups', { fromDay: 20250601, toDay: 20250601, wait: true }),
      get('/readyz'),
    ]
    for (const answer of await Promise.all(answers)) expectError(answer, 'internal', /^internal error$/)
  })

  test('one failed request leaves the next one as it would have been', async () => {
    const { post, land } = await appFixture()
    expectError(await post('/v1/telemetry', '['), 'bad-request')
    await land([visitors('a', 1)])
  })

  test('a store that another process keeps locked is busy, to be tried again; then the events land', async () => {
    const { service, post } = await appFixture()
    const other = new Database(service.config.store)
    other.exec('BEGIN IMMEDIATE')
    expectError(await post('/v1/telemetry', [visitors('a', 1)]), 'store-busy', /try again/)
    other.exec('ROLLBACK')
    expect((await post('/v1/telemetry', [visitors('a', 1)])).json()).toMatchObject({ accepted: 1 })
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 1 })
    other.close()
  })

  test('a change of a device that waits for such a store holds up nothing else', async () => {
    const { service, put } = await appFixture()
    const other = new Database(service.config.store)
    other.exec('BEGIN IMMEDIATE')
    let isOver = false
    const change = put('/v1/devices/a', {}).finally(() => {
      isOver = true
    })
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
    const heldUp = isOver
    other.close()
    await change
    expect(heldUp).toBe(false)
  })
})
