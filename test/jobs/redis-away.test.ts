import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { cooler, type Running } from '../cli/cooler.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { queueFixture } from './queue-fixture.ts'

const post = (url: string | null): Promise<Response> =>
  fetch(`${url}/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([visitors('a', 1)]),
  })

test('while Redis stands still each request is refused within seconds, and all goes on when it wakes', async () => {
  const { service, redis } = await queueFixture()
  const { url } = await service({ api: true, work: true })
  expect((await post(url)).status).toBe(202)
  redis.freeze()
  onTestFinished(() => redis.wake())
  const calls = [post(url), post(url), fetch(`${url}/readyz`), fetch(`${url}/v1/status`)]
  for (const answer of await Promise.all(calls)) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toMatchObject({ code: 'queue-unavailable' })
  }
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  redis.wake()
  await eventually(async () => (await post(url)).status).toBe(202)
})

test('readyz fails while Redis refuses writes, and says how', async () => {
  const { service, redis } = await queueFixture()
  const client = new Redis(redis.socket)
  onTestFinished(() => client.disconnect())
  const { url } = await service({ api: true })
  const ready = async () => {
    const answer = await fetch(`${url}/readyz`)
    return `${answer.status} ${await answer.text()}`
  }
  await eventually(ready).toMatch(/^200/)
  await client.config('SET', 'maxmemory', '1mb')
  await client.config('SET', 'maxmemory-policy', 'noeviction')
  await eventually(ready).toMatch(/^503 .*queue-unavailable.*|^503 .*refuses \(OOM\)/)
  await client.config('SET', 'maxmemory', '0')
  await eventually(ready).toMatch(/^200/)
  await client.replicaof('127.0.0.1', '1')
  await eventually(ready).toMatch(/^503 .*refuses \(READONLY\)/)
  await client.replicaof('NO', 'ONE')
  await client.config('SET', 'min-replicas-to-write', '1')
  await eventually(ready).toMatch(/^503 .*refuses \(NOREPLICAS\)/)
  await client.config('SET', 'min-replicas-to-write', '0')
  await eventually(ready).toMatch(/^200/)
})

const linesAbout = ({ stderr }: Running, pattern: RegExp): string[] =>
  stderr()
    .split('\n')
    .filter((line) => pattern.test(line))

test('with Redis away from the beginning start and serve listen and work keeps running; each says once what it waits for', async () => {
  const redis = await privateRedis({ durable: true })
  await redis.kill('SIGKILL')
  const program = cooler({ REDIS_URL: redis.socket })
  const start = await program.service(['start'])
  const serve = await program.service(['serve'])
  const work = await program.service(['work'])
  for (const { url } of [start, serve]) {
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await post(url)).status).toBe(503)
  }
  expect(work.child.exitCode).toBeNull()
  await redis.restart()
  await eventually(async () => (await post(serve.url)).status).toBe(202)
  await eventually(async () => JSON.stringify(await (await fetch(`${start.url}/v1/status`)).json())).toMatch(
    /"landed":1\b/,
  )
  for (const running of [start, serve, work]) {
    await eventually(() => linesAbout(running, /Redis is there/)).toHaveLength(1)
    expect(linesAbout(running, /waiting for Redis/)).toHaveLength(1)
    expect(linesAbout(running, /background error/)).toEqual([])
    running.child.kill('SIGTERM')
    expect((await running.outcome).code).toBe(0)
  }
})
