import { expect, test } from 'vitest'
import { FlushError, type ProducerError } from '../../src/enqueue/producer.ts'
import { privateRedis, redisSocket, uniquePrefix } from '../helpers/redis.ts'
import { failure, fixture, lineOf, powerEvent, powerEvents } from './producer-fixture.ts'

test('nothing acknowledged is lost, and all is acknowledged, when Redis is killed while it takes batches', async () => {
  const server = await privateRedis({ durable: true })
  const { producer, batches } = fixture({ connection: server.socket, maxBatchEvents: 10 })
  const events = powerEvents(2000)
  let acknowledged = 0
  let outages = Promise.resolve()
  const sent = events.map(async (event) => {
    await producer.send(event)
    acknowledged++
    if (acknowledged % 500 === 100) outages = outages.then(() => server.kill('SIGKILL')).then(() => server.restart())
  })
  await producer.flush()
  await Promise.all(sent)
  await outages
  expect(acknowledged).toBe(events.length)
  const landed = new Set((await batches()).flat())
  expect(events.filter((event) => !landed.has(lineOf(event)))).toEqual([])
})

test('a producer made while Redis is away sends as soon as Redis is there', async () => {
  const server = await privateRedis()
  await server.kill('SIGKILL')
  const errors: ProducerError[] = []
  const { producer, batches } = fixture({ connection: server.socket, onError: (error) => errors.push(error) })
  const sent = producer.sendBatch(powerEvents(2))
  await expect.poll(() => errors.map(({ code }) => code)).toContain('queue-unavailable')
  await server.restart()
  await sent
  expect(await batches()).toHaveLength(1)
})

test('where Redis stays away a batch fails as retryable, told by send, onError and one flush', async () => {
  const errors: ProducerError[] = []
  const { producer } = fixture({ connection: '/no/such.sock', retryForMs: 100, onError: (error) => errors.push(error) })
  const sent = producer.send(powerEvents(3))
  const flushError = await failure(producer.flush())
  expect(flushError).toBeInstanceOf(FlushError)
  expect(flushError).toMatchObject({ code: 'flush-failed', failedEvents: 3, failedBatches: 1, retryable: true })
  const error = await failure(sent)
  expect(error).toMatchObject({ code: 'queue-unavailable', retryable: true })
  expect(String(error)).toMatch(/has not acknowledged the batch within \d+ ms: .*ENOENT/)
  expect((flushError as FlushError).errors).toEqual([error])
  expect(errors).toContain(error)
  await producer.flush()
})

test('an unawaited send that failed makes close reject, and the connection is closed all the same', async () => {
  const { producer } = fixture({ connection: '/no/such.sock', retryForMs: 0 })
  void producer.send(powerEvent(1))
  expect(await failure(producer.close())).toMatchObject({ code: 'flush-failed', failedEvents: 1 })
  expect(producer.bufferedEvents).toBe(0)
})

test('a Redis that does not answer fails the batch in time, and takes the next when it does again', async () => {
  const server = await privateRedis()
  const { producer, batches } = fixture({ connection: server.socket, retryForMs: 100 })
  await producer.sendBatch([powerEvent(0)])
  server.freeze()
  expect(await failure(producer.sendBatch([powerEvent(1)]))).toMatchObject({ code: 'queue-unavailable' })
  server.wake()
  await producer.sendBatch([powerEvent(2)])
  expect((await batches()).flat()).toContain(lineOf(powerEvent(2)))
})

test('a full Redis fails the batch as retryable, and takes it when there is room', async () => {
  const server = await privateRedis()
  const { producer, redis } = fixture({ connection: server.socket, retryForMs: 100 })
  await redis.config('SET', 'maxmemory', '1mb')
  const error = await failure(producer.sendBatch([powerEvent(1)]))
  expect(error).toMatchObject({ code: 'queue-unavailable', retryable: true })
  expect(String(error)).toContain('OOM')
  await redis.config('SET', 'maxmemory', '0')
  await producer.sendBatch([powerEvent(1)])
})

test('a wrong password ends the batch at once, and trying again is not advised', async () => {
  const server = await privateRedis()
  const { redis } = fixture({ connection: server.socket })
  await redis.config('SET', 'requirepass', 'right')
  const { producer } = fixture({ connection: `redis+unix://default:wrong@localhost${server.socket}` })
  const error = await failure(producer.sendBatch([powerEvent(1)]))
  expect(error).toMatchObject({ code: 'queue-refused', retryable: false })
  expect(String(error)).toContain('WRONGPASS')
})

test('workers of another prefix or queue see nothing', async () => {
  const prefix = uniquePrefix()
  const other = fixture({ connection: redisSocket() })
  const { producer } = fixture({ prefix, queueName: 'other' })
  await producer.sendBatch([powerEvent(1)])
  expect(await other.batches()).toEqual([])
})
