import { expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { appFixture, expectError } from '../app-fixture.ts'

interface Answer {
  status: number
  body: Record<string, unknown>
}

async function listening(work: boolean) {
  const service = await temporaryService({ api: true, work }, { COOLER_REFRESH_MINUTES: '0.001' })
  const call = async (path: string, body?: unknown): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${service.url}${path}`, init)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return { service, call, land: (events: unknown[]) => call('/v1/telemetry', events) }
}

test('a fresh service has nothing to tell, and no queue where there is none', async () => {
  const { call } = await listening(false)
  expect(await call('/v1/status')).toEqual({
    status: 200,
    body: {
      queue: null,
      landed: 0,
      erased: 0,
      rejected: 0,
      rejectsDropped: 0,
      rejectedByReason: {},
      devices: 0,
      dueSegments: 0,
      dueDevices: 0,
      lateDays: 0,
      messages: { waiting: 0, failed: 0, oldestAt: null },
      oldestDueAt: null,
      lagSeconds: 0,
      lastCloseAt: null,
      lastRollupAt: null,
      server: null,
    },
  })
})

test('it counts what has landed, what was rejected and why, and the past days that are due until they are rolled up', async () => {
  const { call, land } = await listening(false)
  await land([visitors('a', 1), visitors('b', 1, '2025-06-02T12:00:00Z'), visitors('a', -1), 7, null])
  const rejectedByReason = { 'not-an-object': 2, 'out-of-range': 1 }
  const counted = { landed: 2, rejected: 3, rejectedByReason, devices: 2 }
  expect((await call('/v1/status')).body).toMatchObject({ ...counted, lateDays: 2, dueSegments: 2, lastRollupAt: null })
  expect((await call('/v1/status')).body).toMatchObject({ oldestDueAt: '2025-06-01T12:00:00.000Z' })
  const from = Date.now()
  await call('/v1/rollups', { fromDay: DAY, toDay: DAY, wait: true })
  const { body } = await call('/v1/status')
  expect(body).toMatchObject({ ...counted, lateDays: 0, dueSegments: 0, dueDevices: 0 })
  const closedAt = new Date(body.lastCloseAt as string)
  expect([5, 20, 35, 50]).toContain(closedAt.getUTCMinutes())
  const rolledUpAt = Date.parse(body.lastRollupAt as string)
  expect(rolledUpAt >= from && rolledUpAt <= Date.now()).toBe(true)
})

test('a working service rolls up by itself what is due', async () => {
  const { call, land } = await listening(true)
  await land([visitors('a', 1)])
  await eventually(async () => (await call('/v1/status')).body).toMatchObject({
    landed: 1,
    dueSegments: 0,
    lateDays: 0,
    lastRollupAt: expect.any(String),
  })
})

test('healthz and readyz answer', async () => {
  const { call } = await listening(false)
  expect(await call('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await call('/readyz')).toEqual({ status: 200, body: { status: 'ready' } })
})

test('readyz, which is open to everybody, asks store and queue once a second at the most', async () => {
  let asked = 0
  const status = async () => {
    asked++
    throw new Error('away')
  }
  const { app } = await appFixture({}, { status })
  const from = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')))
  for (const answer of answers) expectError(answer, 'internal')
  expect(asked).toBeLessThanOrEqual(1 + Math.floor((performance.now() - from) / 1000))
  await eventually(async () => (await app.inject('/readyz')).statusCode === 500 && asked).toBeGreaterThan(1)
})

test('readyz fails where the store does not answer, healthz does not', async () => {
  const { service, call } = await listening(false)
  await service.pipeline.reader.close()
  const answer = await call('/readyz')
  expect(answer).toEqual({
    status: 500,
    body: { status: 500, message: 'internal error', data: null, code: 'internal' },
  })
  expect((await call('/healthz')).status).toBe(200)
})
