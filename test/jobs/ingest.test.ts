import Database from 'better-sqlite3'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProducer } from '../../src/enqueue/producer.ts'
import { newImport } from '../../src/event/import-note.ts'
import { packLines } from '../../src/ingest/packed/pack-batch.ts'
import { DAY, lines, manyVisitors, NOON, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { dailyReport, ended, epochDay, queueFixture } from './queue-fixture.ts'

type Packed = { packed: string }

const good = visitors('a', 1)
const bad = { ...good, type: 'humidity' }

describe('a batch job', () => {
  test('of events or of lines lands, and returns how many of them landed and were rejected', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const { pipeline } = await service({ work: true })
    for (const data of [{ events: [good, bad, 7] }, { ndjson: `${lines([good, bad])}\r\n\nnot JSON` }]) {
      const job = await ended(batches, await enqueue(data), 'completed')
      expect(job.returnvalue).toEqual({ landed: 1, rejected: 2 })
      expect(job.attemptsMade).toBe(1)
    }
    expect(await pipeline.reader.landing.counters()).toMatchObject({ landed: 2, rejected: 4 })
    expect((await pipeline.reader.rejects.page({ limit: 9 })).map(({ raw }) => raw)).toContain('not JSON')
  })

  test('of an import lands under its id, and can be taken back by it', async () => {
    const { service, redis } = await queueFixture()
    const { pipeline } = await service({ work: true })
    const note = newImport(['a.csv'], Date.now())
    const producer = createProducer({ connection: redis.socket })
    await producer.sendText(lines([good, visitors('b', 2), bad]), { import: note })
    await producer.sendText(lines([good]))
    await producer.close()
    await eventually(async () => (await pipeline.reader.landing.counters()).landed).toBe(3)
    const erased = await pipeline.eraser.erase({ import: note.id }, { now: Date.now() })
    expect(erased).toMatchObject({ erased: 2, rejects: 1 })
    expect((await pipeline.reader.registry.devices()).map(({ id }) => id)).toEqual(['a'])
  })

  test('that is packed lands, the lines beside it too, and fails at its first attempt where it is damaged', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const { pipeline } = await service({ work: true })
    const { job: packed } = packLines(Buffer.from(lines([good, visitors('b', 2), bad])), Date.now())
    const job = await ended(batches, await enqueue({ ...packed, receivedAt: Date.now() }), 'completed')
    expect(job.returnvalue).toEqual({ landed: 2, rejected: 1 })
    expect((await pipeline.reader.rejects.page({ limit: 9 })).map(({ raw }) => raw)).toEqual([JSON.stringify(bad)])
    for (const data of [{ packed: '' }, { packed: 'AQ==' }, { ...packed, packed: `Ag${(packed as Packed).packed}` }]) {
      const failed = await ended(batches, await enqueue(data), 'failed')
      expect(failed.failedReason).toMatch(/^bad-request: not a packed batch/)
      expect(failed.attemptsMade).toBe(1)
    }
    const full = packLines(Buffer.from(lines(manyVisitors(10_000))), Date.now()).job
    const long = await ended(batches, await enqueue({ ...full, ndjson: '{}' }), 'failed')
    expect(long.failedReason).toMatch(/^batch-too-long: /)
    expect(await pipeline.reader.landing.counters()).toMatchObject({ landed: 2, rejected: 1 })
  })

  test('however deep it is nested lands at its first attempt, and only what is no event of it is rejected', async () => {
    const { service, batches, enqueue, redis } = await queueFixture()
    const { pipeline } = await service({ work: true })
    const client = new Redis(redis.socket)
    onTestFinished(() => client.disconnect())
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const objects = `${'{"__proto__":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const text = JSON.stringify(good)
    const withField = (name: string, value: string): string => text.replace('{', `{"${name}":${value},`)
    const events = [text, deep, objects, withField('more', deep), withField('__proto__', objects), `{"type":${deep}}`]
    await batches.pause()
    const job = await enqueue({ events: [] })
    await client.hset(batches.toKey(job.id as string), 'data', `{"events":[${events.join(',')}]}`)
    await batches.resume()
    expect(await ended(batches, job, 'completed')).toMatchObject({
      attemptsMade: 1,
      returnvalue: { landed: 3, rejected: 3 },
    })
    expect((await pipeline.reader.rejects.page({ limit: 9 })).map(({ reason }) => reason).sort()).toEqual([
      'bad-device-id',
      'bad-device-id',
      'not-an-object',
    ])
  })

  test('without events lands nothing, and is done', async () => {
    const { service, batches, enqueue } = await queueFixture()
    await service({ work: true })
    for (const data of [{ events: [] }, { ndjson: '' }]) {
      const job = await ended(batches, await enqueue(data), 'completed')
      expect(job.returnvalue).toEqual({ landed: 0, rejected: 0 })
    }
  })

  test('that is no batch fails at its first attempt, says why, and is seen among the failed', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const { queueCounts, pipeline } = await service({ work: true })
    const payloads = [
      null,
      7,
      'text',
      [],
      [good],
      {},
      { events: null },
      { events: { length: 1 } },
      { ndjson: 7 },
      { ndjson: null },
      { json: [good] },
      { packed: 7 },
    ]
    for (const data of payloads) {
      const job = await ended(batches, await enqueue(data), 'failed')
      expect(job.failedReason).toMatch(/^bad-request: .*events/)
      expect(job.attemptsMade).toBe(1)
      expect(job.data).toEqual(data)
    }
    expect(await queueCounts()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: payloads.length })
    expect(await pipeline.reader.landing.counters()).toMatchObject({ landed: 0, rejected: 0 })
  })

  test('of 10 000 events lands, of 10 001 fails at its first attempt', async () => {
    const { service, batches, enqueue } = await queueFixture()
    await service({ work: true })
    const events = manyVisitors(10_001)
    const most = events.slice(1)
    for (const data of [{ events: most }, { ndjson: lines(most) }]) {
      expect((await ended(batches, await enqueue(data), 'completed')).returnvalue).toMatchObject({ landed: 10_000 })
    }
    for (const data of [{ events }, { ndjson: lines(events) }]) {
      const job = await ended(batches, await enqueue(data), 'failed')
      expect(job.failedReason).toMatch(/^batch-too-long: /)
      expect(job.attemptsMade).toBe(1)
    }
  })

  test('is checked as of the time at which it was received, not beyond now', async () => {
    const { service, batches, enqueue } = await queueFixture()
    await service({ work: true })
    const hours = (count: number): number => Date.now() + count * 3_600_000
    const landed = async (at: number, receivedAt: unknown) => {
      const job = await ended(batches, await enqueue({ events: [visitors('a', 1, at)], receivedAt }), 'completed')
      return job.returnvalue.landed
    }
    expect(await landed(hours(20), undefined)).toBe(1)
    expect(await landed(hours(20), hours(-1))).toBe(1)
    expect(await landed(hours(-10), hours(-48))).toBe(0)
    expect(await landed(hours(26), hours(12))).toBe(0)
    expect(await landed(hours(20), 'yesterday')).toBe(1)
  })
})

test('the same job delivered twice changes no figure', async () => {
  const { service, batches, enqueue } = await queueFixture()
  const worker = await service({ work: true })
  const events = [
    { deviceId: 'a', at: '2025-06-01T06:00:00Z', type: 'power', on: true },
    { deviceId: 'a', at: NOON, type: 'temperature', celsius: 4 },
    { deviceId: 'a', at: '2025-06-01T13:00:00Z', type: 'temperature', celsius: 7 },
    { deviceId: 'a', at: NOON, type: 'door', count: 2 },
    { deviceId: 'a', at: NOON, type: 'visitor', total: 10 },
    { deviceId: 'a', at: '2025-06-01T13:00:00Z', type: 'visitor', total: 25 },
    good,
  ]
  const reports: unknown[] = []
  for (const data of [{ events }, { events }, { ndjson: lines(events.toReversed()) }]) {
    await ended(batches, await enqueue(data), 'completed')
    await worker.rollups.run({ from: epochDay(DAY), to: epochDay(DAY) })
    reports.push(await dailyReport(worker, DAY))
  }
  expect(reports[0]).toMatchObject([{ visitorCount: 16, openCloseNum: 2, currTemp: 5.5, powerDuration: 18 }])
  expect(reports[1]).toEqual(reports[0])
  expect(reports[2]).toEqual(reports[0])
})

test('a rollup whose store is locked by someone else is tried again', async () => {
  const { service, batches, rollups, shards, enqueue } = await queueFixture()
  const worker = await service({ work: true })
  await ended(batches, await enqueue({ events: [visitors('a', 1)] }), 'completed')
  const other = new Database(worker.config.store)
  other.exec('BEGIN IMMEDIATE')
  await worker.rollups.request({ from: epochDay(DAY), to: epochDay(DAY) })
  const reasons = async () => (await shards.getDelayed()).map(({ failedReason }) => failedReason)
  await eventually(reasons).toEqual(expect.arrayContaining([expect.stringMatching(/try again/)]))
  other.exec('ROLLBACK')
  other.close()
  await worker.rollups.run({ from: epochDay(DAY), to: epochDay(DAY) })
  expect(await dailyReport(worker, DAY)).toMatchObject([{ visitorCount: 1 }])
  expect((await rollups.getFailed()).length).toBe(0)
})
