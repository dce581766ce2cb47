import { describe, expect, test, vi } from 'vitest'
import { batchOf } from '../../jobs/ingest.ts'
import { createProducer, ProducerError } from '../../src/enqueue/producer.ts'
import { MAX_EVENT_BYTES } from '../../src/event/batch-job.ts'
import { EventBatch } from '../../src/event/event-batch.ts'
import { MAX_BATCH_EVENTS, type TelemetryEvent } from '../../src/event/telemetry-event.ts'
import { checkInto } from '../../src/ingest/landing.ts'
import { BATCH_JOB, BATCH_JOB_OPTIONS } from '../../src/queue/queue-contract.ts'
import { privateRedis, redisSocket } from '../helpers/redis.ts'
import { failure, fixture, lineOf, powerEvent, powerEvents } from './producer-fixture.ts'

describe('refusals', () => {
  test.each([
    { maxBatchEvents: 0 },
    { maxBatchEvents: MAX_BATCH_EVENTS + 1 },
    { maxBatchAgeMs: -1 },
    { maxInFlightBatches: 0.5 },
    { maxBufferedEvents: 499 },
    { retryForMs: Number.NaN },
    { backlogLimit: 0 },
    { connection: 'http://localhost' },
    { queueName: 'a:b' },
  ])('option %j is refused by name', (option) => {
    const create = () => createProducer({ connection: redisSocket(), ...option })
    expect(create).toThrow(expect.objectContaining({ code: 'bad-option', retryable: false }))
    expect(create).toThrow(Object.keys(option)[0])
  })

  test('a batch of more than 10 000 events is refused and says what to do', async () => {
    const { producer, batches } = fixture()
    const error = await failure(producer.sendBatch(powerEvents(MAX_BATCH_EVENTS + 1)))
    expect(error).toMatchObject({ code: 'batch-too-long', retryable: false })
    expect(String(error)).toMatch(/at most 10000 events, this one 10001: send it in parts/)
    expect(await batches()).toEqual([])
  })

  test('a batch of more than 32 MiB is refused', async () => {
    const { producer } = fixture()
    const large = { ...powerEvent(1), note: 'x'.repeat(MAX_EVENT_BYTES - 200) }
    expect(await failure(producer.sendBatch(new Array(520).fill(large)))).toMatchObject({ code: 'batch-too-large' })
  })

  test('an event of more than 64 KiB of JSON refuses its call only, and all of it', async () => {
    const { producer, batches } = fixture()
    const sent = producer.send(powerEvent(1))
    const large = { ...powerEvent(2), note: 'ü'.repeat(MAX_EVENT_BYTES / 2) }
    expect(await failure(producer.send([powerEvent(3), large]))).toMatchObject({ code: 'event-too-large' })
    await producer.flush()
    await sent
    expect(await batches()).toEqual([[lineOf(powerEvent(1))]])
  })

  test('lines are sent as they are, in the order of the calls, whatever they hold', async () => {
    const { producer, batches } = fixture({ maxBatchEvents: 2 })
    const lines = [` ${lineOf(powerEvent(1))}\r`, 'no JSON', '7']
    await Promise.all([producer.sendLines(lines), producer.send(powerEvent(2))])
    expect(await batches()).toEqual([lines.slice(0, 2), [lines[2], lineOf(powerEvent(2))]])
    const refused = [['{}\n{}', 'event-not-serialisable'] as const, ['x'.repeat(65_537), 'event-too-large'] as const]
    for (const [line, code] of refused) {
      expect(await failure(producer.sendLines(['{}', line]))).toMatchObject({ code })
    }
    expect(await batches()).toHaveLength(2)
  })

  test('a text makes one job of its lines, blank ones aside, behind what was sent before, and tells how many', async () => {
    const { producer, jobs, batches } = fixture()
    const text = `${lineOf(powerEvent(1))}\r\n\n  \nno JSON\n ${lineOf(powerEvent(2))}`
    const sent = producer.send(powerEvent(0))
    expect(
      await Promise.all([producer.sendText(Buffer.from(text)), producer.sendText(''), producer.sendText(' \n')]),
    ).toEqual([3, 0, 0])
    await sent
    const [first, second] = await jobs()
    expect(first).toEqual({ ndjson: lineOf(powerEvent(0)) })
    expect(second).toEqual({ packed: expect.any(String), ndjson: 'no JSON' })
    const batch = new EventBatch()
    checkInto(batch, batchOf(second), { landedAt: Date.now(), purgedBefore: 0 })
    expect(batch.ids).toEqual(['cooler-1', 'cooler-2'])
    expect([batch.count, batch.rejects.map(({ raw }) => raw)]).toEqual([2, ['no JSON']])
    const refused = [
      [`{}\n${'x'.repeat(65_537)}`, 'event-too-large'] as const,
      ['{}\n'.repeat(MAX_BATCH_EVENTS + 1), 'batch-too-long'] as const,
      [`"${'x'.repeat(60_000)}"\n`.repeat(600), 'batch-too-large'] as const,
    ]
    for (const [lines, code] of refused) expect(await failure(producer.sendText(lines))).toMatchObject({ code })
    expect(producer.bufferedEvents).toBe(0)
    expect(await batches()).toHaveLength(2)
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  test.each([
    ['a BigInt', { ...powerEvent(1), seq: 1n }],
    ['a cycle', cycle],
    ['undefined', undefined],
    ['a function', () => 1],
  ])('%s is not serialisable', async (_, event) => {
    const { producer } = fixture()
    const error = await failure(producer.send([event as unknown as TelemetryEvent]))
    expect(error).toBeInstanceOf(ProducerError)
    expect(error).toMatchObject({ code: 'event-not-serialisable', retryable: false })
    expect(String(error)).not.toContain('\n')
  })
})

describe('batching', () => {
  test('a batch goes as soon as it is full, with the options of the contract', async () => {
    const { producer, queue, batches } = fixture({ maxBatchEvents: 3 })
    await producer.send(powerEvents(6))
    expect((await batches()).map((batch) => batch.length)).toEqual([3, 3])
    const [job] = await queue.getJobs(['waiting'])
    expect(job).toMatchObject({ name: BATCH_JOB, opts: BATCH_JOB_OPTIONS })
  })

  test('a batch that is not full goes when it is old enough', async () => {
    const { producer, batches } = fixture({ maxBatchAgeMs: 20 })
    await Promise.all([producer.send(powerEvent(0)), producer.send(powerEvent(1))])
    expect(await batches()).toEqual([powerEvents(2).map(lineOf)])
  })

  test('events keep the order of the calls, across calls and batches', async () => {
    const { producer, batches } = fixture({ maxBatchEvents: 7, maxBufferedEvents: 20 })
    const events = powerEvents(500)
    for (let at = 0; at < events.length; at += 10) void producer.send(events.slice(at, at + 10))
    await producer.flush()
    expect((await batches()).flat()).toEqual(events.map(lineOf))
  })

  test('sendBatch makes one job at once, behind what was sent before', async () => {
    const { producer, jobs } = fixture()
    void producer.send(powerEvent(0))
    await producer.sendBatch([powerEvent(1), powerEvent(2)], { receivedAt: 1_764_547_200_123 })
    expect(await jobs()).toEqual([
      { ndjson: lineOf(powerEvent(0)) },
      { ndjson: `${lineOf(powerEvent(1))}\n${lineOf(powerEvent(2))}`, receivedAt: 1_764_547_200_123 },
    ])
  })

  test('no events are acknowledged at once and make no job', async () => {
    const { producer, batches } = fixture()
    await Promise.all([producer.send([]), producer.sendBatch([]), producer.flush()])
    expect(await batches()).toEqual([])
  })

  test('events arrive byte for byte, as they were when they were sent', async () => {
    const { producer, batches } = fixture()
    const ids = ['🥶', '\ud83e', '\udd76x', '__proto__', 'a\nb\r\n"\\', '\u2028\u0000', 'é', 'e\u0301', ' ', '07']
    const events = ids.map((deviceId) => ({ ...powerEvent(1), deviceId }))
    const withProto = JSON.parse('{"__proto__":{"a":1},"deviceId":"p","at":1764547200000,"type":"power","on":true}')
    const expected = [...events, withProto].map(lineOf)
    const sent = producer.send([...events, withProto])
    for (const event of events) event.deviceId = 'changed later'
    await producer.flush()
    await sent
    const [lines = []] = await batches()
    expect(lines).toEqual(expected)
    expect(lines.slice(0, ids.length).map((line) => JSON.parse(line).deviceId)).toEqual(ids)
  })
})

describe('back-pressure', () => {
  test('no more than maxBufferedEvents are held; the others wait for room, in order', async () => {
    const { socket } = await privateRedis()
    const { producer, redis, batches } = fixture({ connection: socket, maxBatchEvents: 5, maxBufferedEvents: 10 })
    await producer.sendBatch([powerEvent(0)])
    await redis.call('CLIENT', 'PAUSE', '60000', 'WRITE')
    const sent = [producer.send(powerEvents(25)), producer.send(powerEvent(25))]
    let room = false
    const waited = producer.room().then(() => {
      room = true
    })
    await vi.waitFor(() => expect(producer.bufferedEvents).toBe(10))
    await redis.ping()
    expect(room).toBe(false)
    expect(producer.bufferedEvents).toBe(10)
    await redis.call('CLIENT', 'UNPAUSE')
    await Promise.all([waited, producer.flush(), ...sent])
    expect(producer.bufferedEvents).toBe(0)
    expect((await batches()).flat().slice(1)).toEqual(powerEvents(26).map(lineOf))
  })

  test('a batch larger than the whole buffer goes when that is empty', async () => {
    const { producer, batches } = fixture({ maxBatchEvents: 2, maxBufferedEvents: 2 })
    await Promise.all([producer.send(powerEvents(3)), producer.sendBatch(powerEvents(9)), producer.flush()])
    expect((await batches()).map((batch) => batch.length)).toEqual([2, 1, 9])
  })

  test('a full queue holds batches back until workers have caught up', async () => {
    const { producer, queue } = fixture({ maxBatchEvents: 1, backlogLimit: 2 })
    const sent = producer.send(powerEvents(5))
    await vi.waitFor(async () => expect(await queue.getWaitingCount()).toBe(2))
    while ((await Promise.race([sent.then(() => 'sent'), queue.getWaitingCount()])) !== 'sent') {
      expect(await queue.getWaitingCount()).toBeLessThanOrEqual(2)
      await queue.drain()
    }
    await sent
  })

  test('a queue that stays full fails the batch as retryable', async () => {
    const { producer, batches } = fixture({ maxBatchEvents: 1, backlogLimit: 1, retryForMs: 100 })
    await producer.send(powerEvent(0))
    expect(await failure(producer.send(powerEvent(1)))).toMatchObject({ code: 'queue-full', retryable: true })
    expect(await batches()).toHaveLength(1)
  })
})

describe('flush and close', () => {
  test('flush sends what has been handed over and waits until it is acknowledged', async () => {
    const { producer, batches } = fixture()
    void producer.send(powerEvents(3))
    await producer.flush()
    expect(await batches()).toHaveLength(1)
    expect(producer.bufferedEvents).toBe(0)
  })

  test('close sends what has been handed over, can be called twice, and refuses what comes after', async () => {
    const { producer, batches } = fixture()
    void producer.send(powerEvents(3))
    await Promise.all([producer.close(), producer.close()])
    await producer.close()
    expect((await batches()).flat()).toHaveLength(3)
    for (const late of [producer.send(powerEvent(4)), producer.sendBatch([powerEvent(4)]), producer.room()]) {
      expect(await failure(late)).toMatchObject({ code: 'producer-closed' })
    }
  })

  test('close leaves no connection behind', async () => {
    const { socket } = await privateRedis()
    const { producer, redis } = fixture({ connection: socket })
    const connections = async () => String(await redis.call('CLIENT', 'LIST')).match(/^id=/gm)?.length
    await producer.sendBatch([powerEvent(1)])
    void producer.send(powerEvent(2))
    expect(await connections()).toBe(2)
    await producer.close()
    expect(await connections()).toBe(1)
  })
})
