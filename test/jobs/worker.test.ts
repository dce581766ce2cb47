import Database from 'better-sqlite3'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { IncomingBatch } from '../../src/ingest/landing.ts'
import { DAY, lines, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import type { TemporaryService } from '../helpers/temporary-service.ts'
import { dailyReport, ended, epochDay, queueFixture } from './queue-fixture.ts'

const good = visitors('a', 1)
const bad = { ...good, type: 'humidity' }
const unavailable = { code: 'queue-unavailable', retryable: true, status: 503 }

const landedOf = async ({ pipeline }: TemporaryService) => (await pipeline.reader.landing.counters()).landed
const accept = ({ intake }: TemporaryService, events: unknown[]) =>
  intake.accept({ json: Buffer.from(JSON.stringify(events)) })

describe('the intake with a queue', () => {
  test('answers the rejections, and enqueues the whole batch with the time of its arrival', async () => {
    const { service, batches } = await queueFixture()
    const intake = await service({})
    const from = Date.now()
    const rejections = [{ index: 1, reason: 'unknown-type' }]
    expect(await accept(intake, [good, bad])).toEqual({ landed: 1, rejected: 1, rejections })
    expect(await intake.queueCounts()).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0 })
    const [{ data, opts }] = await batches.getWaiting()
    expect(data).toEqual({ packed: expect.any(String), ndjson: JSON.stringify(bad), receivedAt: expect.any(Number) })
    expect(data.receivedAt >= from && data.receivedAt <= Date.now()).toBe(true)
    expect(opts.attempts).toBe(8)
    expect(await landedOf(intake)).toBe(0)
    await service({ work: true }, { COOLER_STORE: intake.config.store })
    await eventually(() => intake.pipeline.reader.landing.counters()).toMatchObject({ landed: 1, rejected: 1 })
  })

  test('enqueues nothing of a body that is no batch, nor of an empty one', async () => {
    const { service } = await queueFixture()
    const intake = await service({})
    await expect(intake.intake.accept({ json: Buffer.from('{}') })).rejects.toMatchObject({ code: 'bad-request' })
    await expect(accept(intake, new Array(10_001).fill(good))).rejects.toMatchObject({ code: 'batch-too-long' })
    expect(await accept(intake, [])).toEqual({ landed: 0, rejected: 0, rejections: [] })
    expect(await intake.queueCounts()).toMatchObject({ waiting: 0 })
  })

  test('what it told to be rejected is what the worker rejects, lines that are no JSON included', async () => {
    const { service } = await queueFixture()
    const worker = await service({ work: true })
    const ndjson = Buffer.from([lines([good, bad]), 'not JSON\n', '\uFEFF{}\n', '"\\ud800"\n', '[]'].join(''))
    const { landed, rejected } = await worker.intake.accept({ ndjson })
    await eventually(() => worker.pipeline.reader.landing.counters()).toMatchObject({ landed, rejected })
    expect({ landed, rejected }).toEqual({ landed: 1, rejected: 5 })
  })

  const fix = (address: string): string =>
    `[{"deviceId":"a","at":"2025-06-01T12:00:00Z","type":"gps","lat":1,"lon":2,"address":${address}}]`
  const deep = `[{"deviceId":"a","at":"2025-06-01T12:00:00Z","type":"power","on":true,"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`

  test.each<[string, IncomingBatch]>([
    ['a line that is not UTF-8', { ndjson: Buffer.from(lines([visitors('K\xfchler', 1)]), 'latin1') }],
    ['a number beyond all doubles', { json: Buffer.from(fix('1e999')) }],
    ['an event that is a number beyond all doubles', { json: Buffer.from('[1e999]') }],
    ['an unknown field nested beyond any stack', { json: Buffer.from(deep) }],
  ])('%s is to the worker what it was to the intake', async (_, batch) => {
    const { service } = await queueFixture()
    const worker = await service({ work: true })
    const { landed, rejected } = await worker.intake.accept(batch)
    expect(landed + rejected).toBe(1)
    const counters = () => worker.pipeline.reader.landing.counters()
    await eventually(async () => (await counters()).landed + (await counters()).rejected).toBe(1)
    expect(await counters()).toMatchObject({ landed, rejected })
  })
})

describe('while Redis is away', () => {
  test('batches and rollups are refused for the moment, readyz fails, and all works again without a restart', async () => {
    const { service, redis } = await queueFixture()
    const api = await service({ api: true, work: true })
    const status = async (path: string) => (await fetch(`${api.url}${path}`)).status
    await accept(api, [good])
    await eventually(() => landedOf(api)).toBe(1)
    await redis.kill('SIGKILL')
    await expect(accept(api, [good])).rejects.toMatchObject(unavailable)
    await expect(api.rollups.request({ from: 0, to: 0 })).rejects.toMatchObject(unavailable)
    await expect(api.rollups.run({ from: 0, to: 0 })).rejects.toMatchObject(unavailable)
    expect([await status('/v1/status'), await status('/readyz'), await status('/healthz')]).toEqual([503, 503, 200])
    await redis.restart()
    await eventually(() => status('/readyz')).toBe(200)
    await accept(api, [good])
    await eventually(() => landedOf(api)).toBe(2)
    const days = { from: epochDay(DAY), to: epochDay(DAY) }
    expect(await api.rollups.run(days)).toMatchObject({ deviceDays: 1 })
  })

  test('an API that starts then refuses batches, and takes them as soon as Redis is there', async () => {
    const { service, redis } = await queueFixture()
    await redis.kill('SIGKILL')
    const api = await service({ api: true })
    await expect(accept(api, [good])).rejects.toMatchObject(unavailable)
    await redis.restart()
    await eventually(() => accept(api, [good]).catch(() => null)).toMatchObject({ landed: 1 })
    expect(await api.queueCounts()).toMatchObject({ waiting: 1 })
  })

  test('an API that starts then refuses a rollup that is to be waited for', async () => {
    const { service, redis } = await queueFixture()
    await redis.kill('SIGKILL')
    const api = await service({ api: true })
    onTestFinished(() => redis.restart())
    let code = 'none'
    const waited = api.rollups.run({ from: 0, to: 0 })
    waited.catch((error) => {
      code = error.code
    })
    await expect.poll(() => code, { timeout: 3000 }).toBe('queue-unavailable')
  })

  test('a Redis that writes no more is away, too', async () => {
    const { service, redis } = await queueFixture()
    const intake = await service({})
    await accept(intake, [good])
    const client = new Redis(redis.socket)
    onTestFinished(() => client.disconnect())
    await client.config('SET', 'min-replicas-to-write', '1')
    await expect(accept(intake, [good])).rejects.toMatchObject(unavailable)
    await client.config('SET', 'min-replicas-to-write', '0')
    expect(await accept(intake, [good])).toMatchObject({ landed: 1 })
    expect(await intake.queueCounts()).toMatchObject({ waiting: 2 })
  })
})

describe('close', () => {
  test('finishes the jobs in hand and leaves those that wait', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const worker = await service({ work: true })
    const { store } = worker.config
    await ended(batches, await enqueue({ events: [visitors('first', 1)] }), 'completed')
    const other = new Database(store)
    other.exec('BEGIN IMMEDIATE') // So that nothing in hand can be finished.
    for (let number = 0; number < 50; number++) await enqueue({ events: [visitors(`cooler-${number}`, number)] })
    await eventually(() => batches.getActiveCount()).toBe(32)
    const closed = worker.close()
    other.exec('ROLLBACK')
    other.close()
    await closed
    expect(await batches.getJobCounts('active', 'delayed', 'failed')).toEqual({ active: 0, delayed: 0, failed: 0 })
    expect(await batches.getWaitingCount()).toBe(18)
    const again = await service({}, { COOLER_STORE: store })
    expect(await landedOf(again)).toBe(33)
  })

  test.each([
    { role: 'intakes', work: false },
    { role: 'workers', work: true },
  ])(
    '$role end also where Redis has just come back, and their connections have not',
    async ({ work }) => {
      const { service, redis } = await queueFixture()
      const services = await Promise.all(Array.from({ length: 6 }, () => service({ work })))
      await Promise.all(services.map(({ queueCounts }) => queueCounts()))
      await redis.kill('SIGKILL')
      await redis.restart()
      await Promise.all(services.map(({ close }) => close()))
    },
    30_000,
  )

  test('then another worker takes the rest, and every event is there once', async () => {
    const { service, enqueue } = await queueFixture()
    const first = await service({ work: true })
    const numbers = Array.from({ length: 120 }, (_, number) => number)
    for (const number of numbers) await enqueue({ events: [visitors(`cooler-${number}`, number)] })
    await eventually(() => landedOf(first)).toBeGreaterThan(0)
    await first.close()
    const second = await service({ work: true }, { COOLER_STORE: first.config.store })
    await eventually(() => landedOf(second)).toBe(numbers.length)
    await second.rollups.run({ from: epochDay(DAY), to: epochDay(DAY) })
    const report = await dailyReport(second, DAY)
    const counts = new Map(report.map(({ assertId, visitorCount }) => [assertId, visitorCount]))
    expect(counts).toEqual(new Map(numbers.map((number) => [`cooler-${number}`, number])))
  })
})
