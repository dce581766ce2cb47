import { once } from 'node:events'
import { connect } from 'node:net'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { cooler } from './cooler.ts'

const DAILY = '/open/cooler/open/report_device_status/daily'

/** Connections are kept alive, as most clients do: they must not hold up the end of the service. */
const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const statusOf = async (url: string): Promise<unknown> => (await fetch(`${url}/v1/status`)).json()

const visitorCounts = async (url: string): Promise<Map<string, number>> => {
  await post(`${url}/v1/rollups`, { fromDay: DAY, toDay: DAY, wait: true })
  const { data } = (await (await post(`${url}${DAILY}`, { day: DAY })).json()) as {
    data: { deviceStatusList: { assertId: string; visitorCount: number }[] }
  }
  return new Map(data.deviceStatusList.map(({ assertId, visitorCount }) => [assertId, visitorCount]))
}

/** The n-th batch: a device of its own with 200 events of one visitor each. */
const batchOf = (number: number) =>
  Array.from({ length: 200 }, (_, second) => visitors(`cooler-${number}`, 1, Date.UTC(2025, 5, 1) + second * 1000))

/** Sends batches, some at once, until the service takes no more; `onAnswer` hears of each that was answered 202. */
async function sendUntilRefused(url: string, onAnswer: (count: number) => void): Promise<Set<string>> {
  const acknowledged = new Set<string>()
  let next = 0
  const sender = async (): Promise<void> => {
    for (;;) {
      const number = next++
      const status = await post(`${url}/v1/telemetry`, batchOf(number))
        .then(async (answer) => ((await answer.text()) ? answer.status : 0))
        .catch(() => 0)
      if (status !== 202) return
      acknowledged.add(`cooler-${number}`)
      onAnswer(acknowledged.size)
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  return acknowledged
}

describe.each(['direct', 'redis'])('start with the queue %s', (queue) => {
  test.each(queue === 'direct' ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGTERM'] as const))(
    'all that was answered 202 before %s is there after a restart, once',
    async (signal) => {
      const env = queue === 'redis' ? { REDIS_URL: (await privateRedis({ durable: true })).socket } : {}
      const program = cooler(env)
      const first = await program.service(['start'])
      const acknowledged = await sendUntilRefused(first.url, (count) => {
        if (count === 20) first.child.kill(signal)
      })
      const { code } = await first.outcome
      expect(code).toBe(signal === 'SIGTERM' ? 0 : null)
      expect(acknowledged.size).toBeGreaterThanOrEqual(20)
      const { url } = await program.service(['start'])
      const empty = queue === 'redis' ? { queue: { waiting: 0, active: 0, delayed: 0, failed: 0 } } : { queue: null }
      await eventually(() => statusOf(url)).toMatchObject(empty)
      const counts = await visitorCounts(url)
      for (const id of acknowledged) expect(counts.get(id), id).toBe(200)
      // What was not acknowledged may have landed all the same: then whole.
      expect(new Set(counts.values())).toEqual(new Set([200]))
    },
  )
})

describe('a second signal ends it at once', () => {
  test('though a request is under way', async () => {
    const { url, child, outcome, stderr } = await cooler().service(['start'])
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write('POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n')
    await once(socket, 'data')
    child.kill('SIGTERM')
    await eventually(stderr).toMatch(/"msg":"stopping/)
    child.kill('SIGTERM')
    expect(await outcome).toMatchObject({ code: null })
  })

  test('though a batch waits for a store that someone else keeps locked', async () => {
    const program = cooler()
    const { url, child, stderr } = await program.service(['start'])
    await post(`${url}/v1/telemetry`, batchOf(0))
    const other = new Database(program.store)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    void post(`${url}/v1/telemetry`, batchOf(1)).catch(() => {})
    await post(`${url}${DAILY}`, { day: DAY, assertIds: [] }) // By now the batch has been handed to its thread.
    child.kill('SIGTERM')
    await eventually(stderr).toMatch(/"msg":"stopping/)
    child.kill('SIGTERM')
    await expect.poll(() => child.signalCode, { timeout: 3000 }).toBe('SIGKILL')
  })
})

test('serve takes batches in, work lands them and rolls up what serve is asked for: two processes, one store', async () => {
  const REDIS_URL = (await privateRedis()).socket
  const program = cooler({ REDIS_URL })
  const serve = await program.service(['serve'])
  expect((await post(`${serve.url}/v1/telemetry`, batchOf(1))).status).toBe(202)
  const work = await program.service(['work'])
  expect(work.url).toBe(null)
  await eventually(() => statusOf(serve.url)).toMatchObject({ landed: 200 })
  expect(await visitorCounts(serve.url)).toEqual(new Map([['cooler-1', 200]]))
  for (const { child, outcome } of [work, serve]) {
    child.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
  }
})

test('start waits for a Redis that is away, and then starts', async () => {
  const redis = await privateRedis()
  await redis.kill('SIGKILL')
  const program = cooler({ REDIS_URL: redis.socket })
  const early = program.spawn(['start'], { PORT: '0' })
  await eventually(early.stderr).toMatch(/background error/)
  expect(early.stderr()).not.toMatch(/"msg":"started"/)
  await redis.restart()
  await eventually(early.stderr).toMatch(/"msg":"started"/)
  early.child.kill('SIGTERM')
  expect((await early.outcome).code).toBe(0)
})

test('a port that is taken ends it with 1', async () => {
  const program = cooler()
  const { url } = await program.service(['start'])
  const { code, stdout, stderr } = await program.run(['serve'], { env: { PORT: new URL(url).port } })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^cooler: .*EADDRINUSE.*set PORT.*\n$/)
})

test('SIGTERM ends it while Redis is away', async () => {
  const redis = await privateRedis()
  const { child, stderr } = await cooler({ REDIS_URL: redis.socket }).service(['start'])
  await redis.kill('SIGKILL')
  await eventually(stderr).toMatch(/background error/)
  child.kill('SIGTERM')
  await expect.poll(() => child.exitCode, { timeout: 5000 }).toBe(0)
})
