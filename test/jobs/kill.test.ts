import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { queuesOn, TELEMETRY_QUEUE } from '../../src/queue/queue-contract.ts'
import { connectWorker } from '../../src/queue/redis-client.ts'
import { cooler } from '../cli/cooler.ts'
import { DAY, lines, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { queueFixture } from './queue-fixture.ts'

const BATCHES = 240
const EVENTS = 300

/** The n-th batch: a device of its own, one visitor at a time. */
const batchOf = (number: number): string =>
  lines(
    Array.from({ length: EVENTS }, (_, second) =>
      visitors(`cooler-${number}`, 1, Date.UTC(2025, 5, 1) + second * 1000),
    ),
  )

/** What happens by itself when the locks of a worker that has died have run out, without waiting for that. */
async function giveBack(socket: string): Promise<void> {
  const client = new Redis(socket)
  const locks = await client.keys(`bull:${TELEMETRY_QUEUE}:*:lock`)
  await client.del(`bull:${TELEMETRY_QUEUE}:stalled-check`, ...locks)
  const connection = connectWorker(socket)
  const finder = new Worker(TELEMETRY_QUEUE, null, {
    ...queuesOn(connection),
    autorun: false,
    stalledInterval: 100,
    maxStalledCount: 10,
  })
  finder.on('error', () => {})
  void finder.startStalledCheckTimer()
  await eventually(() => client.llen(`bull:${TELEMETRY_QUEUE}:active`)).toBe(0)
  await finder.close()
  for (const opened of [client, connection]) opened.disconnect()
}

test('workers that are killed in the midst of batches lose none and double none', async () => {
  const { redis, batches, enqueue } = await queueFixture()
  const program = cooler({ REDIS_URL: redis.socket })
  for (let number = 0; number < BATCHES; number++) await enqueue({ ndjson: batchOf(number) })

  let interrupted = 0
  for (const done of [BATCHES / 6, BATCHES / 3, BATCHES / 2]) {
    const { child, outcome } = await program.service(['work'])
    await eventually(() => batches.getCompletedCount()).toBeGreaterThan(done)
    child.kill('SIGKILL')
    await outcome
    interrupted += await batches.getActiveCount()
    await giveBack(redis.socket)
  }
  expect(interrupted).toBeGreaterThan(0)

  await program.service(['work'])
  await eventually(() => batches.getCompletedCount()).toBe(BATCHES)
  expect(await batches.getJobCounts('active', 'waiting', 'delayed', 'failed')).toEqual({
    active: 0,
    waiting: 0,
    delayed: 0,
    failed: 0,
  })
  await program.json('rollup', '--json')
  const [{ data }] = await program.json('report', String(DAY), '--json')
  const { deviceStatusList } = data as { deviceStatusList: { assertId: string; visitorCount: number }[] }
  const counts = new Map(deviceStatusList.map(({ assertId, visitorCount }) => [assertId, visitorCount]))
  expect(counts).toEqual(new Map(Array.from({ length: BATCHES }, (_, number) => [`cooler-${number}`, EVENTS])))
})
