import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { createProducer } from '../../src/enqueue/producer.ts'
import { manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { queueFixture } from '../jobs/queue-fixture.ts'

const full = { code: 'queue-full', retryable: true, status: 503 }
const batch = { events: [visitors('a', 1)] }

test('beyond the limit batches are refused by HTTP, and taken again as soon as workers have made room', async () => {
  const { service } = await queueFixture()
  const api = await service({ api: true }, { COOLER_BACKLOG_LIMIT: '3' })
  const post = (): Promise<Response> =>
    fetch(`${api.url}/v1/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    })
  for (let number = 0; number < 3; number++) expect((await post()).status).toBe(202)
  const refused = await post()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({
    code: 'queue-full',
    message: expect.stringMatching(/full \(3 of 3 jobs waiting\)/),
  })
  expect(await api.queueCounts()).toMatchObject({ waiting: 3 })
  await service({ work: true }, { COOLER_STORE: api.config.store })
  await eventually(async () => (await post()).status).toBe(202)
})

test('many at once do not get past it by much: what this process adds counts at once', async () => {
  const { service } = await queueFixture()
  const intake = await service({}, { COOLER_BACKLOG_LIMIT: '10' })
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => intake.intake.accept(batch)))
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refusals).toHaveLength(30)
  for (const reason of refusals) expect(reason).toMatchObject(full)
  expect(await intake.queueCounts()).toMatchObject({ waiting: 10 })
})

test('a producer with the same limit holds its batches back until there is room', async () => {
  const { service, redis } = await queueFixture()
  const api = await service({}, { COOLER_BACKLOG_LIMIT: '1' })
  await api.intake.accept(batch)
  const producer = createProducer({ connection: redis.socket, backlogLimit: 1, maxBatchAgeMs: 0 })
  const sent = producer.send(visitors('b', 2))
  const flushed = producer.flush()
  expect(await api.queueCounts()).toMatchObject({ waiting: 1 })
  await service({ work: true }, { COOLER_STORE: api.config.store })
  await Promise.all([sent, flushed])
  await producer.close()
  await eventually(async () => (await api.pipeline.reader.landing.counters()).landed).toBe(2)
})

test('a Redis that has used up most of its memory takes no batches, until workers have made room', async () => {
  const { service, redis, batches } = await queueFixture()
  const intake = await service({})
  const client = new Redis(redis.socket)
  onTestFinished(() => client.disconnect())
  const limit = 64 * 2 ** 20
  const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
  await client.set('filler', Buffer.alloc(limit * 0.7 - (await used())))
  // Redis keeps what it has read for a while beside what it has stored of it.
  await eventually(used).toBeLessThan(limit * 0.78)
  await client.config('SET', 'maxmemory', String(limit))
  const large = { events: manyVisitors(1000) }
  const accept = (): Promise<unknown> =>
    intake.intake.accept(large).then(
      () => 'taken',
      (refusal) => refusal,
    )
  let taken = 0
  let last = await accept()
  for (; taken < 500 && last === 'taken'; taken++) last = await accept()
  expect(last).toMatchObject({ ...full, message: expect.stringMatching(/memory/) })
  expect(taken).toBeGreaterThan(10)
  expect(await used()).toBeLessThan(limit)
  const worker = await service({ work: true }, { COOLER_STORE: intake.config.store })
  await eventually(async () => (await worker.pipeline.reader.landing.counters()).landed).toBe(taken * 1000)
  await eventually(accept).toBe('taken')
  expect(await batches.getFailedCount()).toBe(0)
})
