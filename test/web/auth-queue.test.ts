import { expect, test } from 'vitest'
import { lines, visitors } from '../helpers/events.ts'
import { privateRedis } from '../helpers/redis.ts'
import { expectError } from './app-fixture.ts'
import { keyedApp } from './keyed-app.ts'

test('with a queue a batch with an event of another device is refused before it is enqueued, in any form', async () => {
  const { socket } = await privateRedis()
  const limited = { sender: { scopes: ['ingest'], prefix: 'S7-' } } as const
  const { app, keys, service } = await keyedApp(limited, { REDIS_URL: socket })
  const send = (payload: string, type: string) => {
    const headers = { 'x-api-key': keys.sender, 'content-type': type }
    return app.inject({ method: 'POST', url: '/v1/telemetry', headers, payload })
  }
  const own = visitors('S7-1', 1)
  const batch = [own, visitors('S8-1', 1)]
  expectError(await send(JSON.stringify(batch), 'application/json'), 'forbidden', /event 1 /)
  expectError(await send(lines(batch), 'application/x-ndjson'), 'forbidden', /event 1 /)
  expect(await service.queueCounts()).toMatchObject({ waiting: 0 })
  expect((await send(JSON.stringify([own]), 'application/json')).statusCode).toBe(202)
  expect((await send(lines([own]), 'application/x-ndjson')).statusCode).toBe(202)
  expect(await service.queueCounts()).toMatchObject({ waiting: 2 })
})
