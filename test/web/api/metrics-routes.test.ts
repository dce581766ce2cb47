import { expect, test } from 'vitest'
import { METRICS, Metrics } from '../../../src/base/metrics.ts'
import { visitors } from '../../helpers/events.ts'
import { privateRedis } from '../../helpers/redis.ts'
import { temporaryService } from '../../helpers/temporary-service.ts'
import { appFixture } from '../app-fixture.ts'

/** Each sample of a text of metrics by its name and labels. */
function samplesIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

async function listening(settings: Record<string, string> = {}) {
  const service = await temporaryService({ api: true, work: false }, settings)
  return {
    service,
    async metrics() {
      const answer = await fetch(`${service.url}/metrics`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      return samplesIn(await answer.text())
    },
    post: (path: string, body: unknown) =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((answer) => answer.json()),
  }
}

test('tells what has landed, what was rejected and why, what is due, and what was rolled up', async () => {
  const { metrics, post } = await listening()
  const fresh = await metrics()
  expect(fresh.get('cooler_events_landed_total')).toBe(0)
  expect(fresh.get('cooler_oldest_due_event_seconds')).toBe(0)
  expect(fresh.get('cooler_part_up{part="store"}')).toBe(1)
  expect(fresh.has('cooler_part_up{part="queue"}')).toBe(false)
  const at = Date.now() - 3_600_000
  await post('/v1/telemetry', [visitors('a', 1, at), visitors('b', 1, at - 1000), visitors('a', -1), 7])
  const landed = await metrics()
  expect(landed.get('cooler_events_landed_total')).toBe(2)
  expect(landed.get('cooler_committed_events_total')).toBe(2)
  expect(landed.get('cooler_commit_seconds_count')).toBe(1)
  expect(landed.get('cooler_event_age_seconds_bucket{le="900"}')).toBe(0)
  expect(landed.get('cooler_event_age_seconds_bucket{le="21600"}')).toBe(1)
  expect(landed.get('cooler_events_rejected_total{reason="out-of-range"}')).toBe(1)
  expect(landed.get('cooler_events_rejected_total{reason="not-an-object"}')).toBe(1)
  expect(landed.get('cooler_devices')).toBe(2)
  expect(landed.get('cooler_due_segments')).toBeGreaterThan(0)
  expect(landed.get('cooler_oldest_due_event_seconds')).toBeGreaterThanOrEqual(3601)
  expect(landed.get('cooler_store_wal_bytes')).toBeGreaterThan(0)
  await post('/v1/rollups', { fromDay: 20250601, toDay: 20250601, wait: true })
  const rolledUp = await metrics()
  expect(rolledUp.get('cooler_rollup_seconds_count')).toBe(1)
  expect(rolledUp.get('cooler_rolled_up_device_days_total')).toBeGreaterThan(0)
  expect(rolledUp.get('cooler_due_segments')).toBe(0)
  expect(rolledUp.get('cooler_oldest_due_event_seconds')).toBe(0)
  expect(rolledUp.get('cooler_last_rollup_timestamp_seconds')).toBeCloseTo(Date.now() / 1000, -2)
})

test('times each answer by its route, all paths that are none under one name', async () => {
  const { metrics, service } = await listening()
  for (const path of ['/healthz', '/v1/devices/a', '/v1/devices/b', '/nowhere/1', '/nowhere/2'])
    await fetch(`${service.url}${path}`)
  const samples = await metrics()
  const count = (labels: string) => samples.get(`cooler_http_request_seconds_count{${labels}}`)
  expect(count('route="/healthz",method="GET",status="200"')).toBe(1)
  expect(count('route="/v1/devices/:id",method="GET",status="404"')).toBe(2)
  expect(count('route="none",method="GET",status="404"')).toBe(2)
  expect([...samples.keys()].filter((name) => name.includes('nowhere'))).toEqual([])
})

test('tells the queue by its states, and goes on where Redis is away', async () => {
  const redis = await privateRedis()
  const { metrics, post } = await listening({ REDIS_URL: redis.socket })
  await post('/v1/telemetry', [visitors('a', 1)])
  const samples = await metrics()
  expect(samples.get('cooler_queue_jobs{state="waiting"}')).toBe(1)
  expect(samples.get('cooler_queue_jobs{state="failed"}')).toBe(0)
  expect(samples.get('cooler_part_up{part="queue"}')).toBe(1)
  await redis.kill('SIGKILL')
  const without = await metrics()
  expect(without.get('cooler_part_up{part="queue"}')).toBe(0)
  expect(without.has('cooler_queue_jobs{state="waiting"}')).toBe(false)
  expect(without.get('cooler_part_up{part="store"}')).toBe(1)
})

test('every metric has a help text, and there are those of the process, too', async () => {
  const { app } = await appFixture()
  const { body } = await app.inject('/metrics')
  for (const [name, [kind, help]] of Object.entries(METRICS))
    expect(body).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`)
  expect(body).toMatch(/^process_cpu_seconds_total /m)
  expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
})

test('two services of one process count for themselves', async () => {
  const [one, other] = [await listening(), await listening()]
  await one.post('/v1/telemetry', [visitors('a', 1)])
  expect((await one.metrics()).get('cooler_commit_seconds_count')).toBe(1)
  expect((await other.metrics()).get('cooler_commit_seconds_count')).toBe(0)
})

test('a store that cannot be read is told as such, with the figures that it had', async () => {
  const files = { storeBytes: 1, walBytes: 2, freeBytes: null }
  const metrics = new Metrics(async () => ({ store: null, queue: undefined, files, server: null }))
  const samples = samplesIn(await metrics.text())
  expect(samples.get('cooler_part_up{part="store"}')).toBe(0)
  expect(samples.get('cooler_store_wal_bytes')).toBe(2)
  const left = [...samples.keys()].filter((name) => /^cooler_(store_free|postgres)/.test(name))
  expect(left, 'what is not known is left out, as alerts would take 0 for it').toEqual([])
})
