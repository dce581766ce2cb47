import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { queueFixture } from '../jobs/queue-fixture.ts'
import { makeKeys } from '../web/keyed-app.ts'

test('processes on one Redis share the limit of requests; where it is away each has its own', async () => {
  const { service, redis } = await queueFixture()
  onTestFinished(() => redis.wake())
  const { keys, settings } = makeKeys({ one: { scopes: ['read'] }, other: { scopes: ['read'] } })
  const limited = { ...settings, COOLER_RATE_LIMIT: '6' }
  const first = await service({ api: true }, limited)
  const second = await service({ api: true }, { ...limited, COOLER_STORE: first.config.store })
  const ask = async (url: string | null, key: string) => fetch(`${url}/v1/devices`, { headers: { 'x-api-key': key } })
  await eventually(async () => (await fetch(`${first.url}/readyz`)).status).toBe(200)
  await eventually(async () => (await fetch(`${second.url}/readyz`)).status).toBe(200)
  for (let count = 0; count < 3; count++) {
    for (const { url } of [first, second]) expect((await ask(url, keys.one)).status).toBe(200)
  }
  for (const { url } of [first, second]) {
    const refused = await ask(url, keys.one)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10)
  }
  redis.freeze()
  const statuses: number[] = []
  for (let count = 0; count < 7; count++) statuses.push((await ask(first.url, keys.other)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
  expect((await ask(second.url, keys.other)).status).toBe(200)
})
