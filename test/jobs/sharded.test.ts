import Database from 'better-sqlite3'
import { type Job, QueueEvents } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { queuesOn } from '../../src/queue/queue-contract.ts'
import { connectWorker } from '../../src/queue/redis-client.ts'
import { ROLLUP_JOBS, SHARD_JOB_OPTIONS, SHARD_QUEUES } from '../../src/queue/rollup-queue.ts'
import { cooler } from '../cli/cooler.ts'
import { DAY, lines, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { dailyReport, ended, epochDay, queueFixture } from './queue-fixture.ts'

const SELDOM = { COOLER_REFRESH_MINUTES: '60' }
const days = { from: epochDay(DAY), to: epochDay(DAY) }
const KEPT = { removeOnComplete: false, removeOnFail: false }

/** A fleet of which each of the 16 shards of a file has devices. */
const fleet = Array.from({ length: 400 }, (_, number) => visitors(`cooler-${number}`, number + 1))
const counts = fleet.map((_, number) => number + 1)
const reported = async (service: Parameters<typeof dailyReport>[0]): Promise<number[]> =>
  (await dailyReport(service, DAY)).map(({ visitorCount }) => Number(visitorCount)).toSorted((one, next) => one - next)

test('a worker that is killed or frozen in the midst of a rollup leaves its shards to another one', async () => {
  const { redis, rollups, shards, service } = await queueFixture()
  const program = cooler({ REDIS_URL: redis.socket, COOLER_QUEUE: 'redis', ...SELDOM })
  await program.run(['ingest', '-'], { input: lines(fleet), env: { COOLER_QUEUE: 'direct' } })
  const connection = connectWorker(redis.socket)
  connection.on('error', () => {})
  const events = new QueueEvents(SHARD_QUEUES.rollUp, queuesOn(connection))
  onTestFinished(async () => {
    await events.close()
    connection.disconnect()
  })
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const { child, outcome } = await program.service(['work'])
    const stopped = new Promise<void>((resolve) => {
      events.once('active', () => {
        child.kill(signal)
        resolve()
      })
    })
    const job = await rollups.add(ROLLUP_JOBS.rollup, { days }, KEPT)
    await stopped
    const other = await service({ work: true }, { COOLER_STORE: program.store, ...SELDOM })
    // Its locks of a minute would outlast the patience of this test.
    const { returnvalue } = await ended(rollups, job, 'completed')
    expect(returnvalue).toMatchObject({ deviceDays: fleet.length, events: fleet.length })
    expect(await reported(other)).toEqual(counts)
    expect(await shards.getJobCounts('active', 'waiting', 'delayed', 'failed')).toMatchObject({ waiting: 0, failed: 0 })
    await other.close()
    child.kill('SIGKILL')
    await outcome
  }
})

test('shards that Redis has lost are added again', async () => {
  const { redis, rollups, shards, service } = await queueFixture()
  const store = await service({}, SELDOM)
  await store.pipeline.ingest.run('land', { events: fleet })
  const run = { now: Date.now(), shards: Array.from({ length: 16 }, (_, shard) => shard) }
  const parent = await rollups.add(ROLLUP_JOBS.rollup, { days, run }, KEPT)
  const client = new Redis(redis.socket)
  onTestFinished(() => client.disconnect())
  await shards.addBulk(
    run.shards.map((shard) => ({
      name: ROLLUP_JOBS.rollup,
      data: { days, now: run.now, shard },
      opts: {
        ...SHARD_JOB_OPTIONS,
        jobId: `${parent.id}-${shard}`,
        parent: { id: parent.id as string, queue: rollups.qualifiedName },
      },
    })),
  )
  const lost = [3, 5, 15].map((shard) => `${parent.id}-${shard}`)
  for (const id of lost) {
    await client.del(shards.toKey(id))
    await client.lrem(shards.toKey('wait'), 0, id)
  }
  const worker = await service({ work: true }, { COOLER_STORE: store.config.store, COOLER_REFRESH_MINUTES: '0.05' })
  expect((await ended(rollups, parent, 'completed')).returnvalue).toMatchObject({ deviceDays: fleet.length })
  expect(await reported(worker)).toEqual(counts)
})

test('shards that fail are told by the job, which can be retried when they are mended', async () => {
  const { rollups, service } = await queueFixture()
  const worker = await service({ work: true }, SELDOM)
  await worker.pipeline.ingest.run('land', { events: fleet })
  await worker.rollups.run(days)
  const database = new Database(worker.config.store)
  onTestFinished(() => void database.close())
  const damage = (sql: string): number =>
    database.prepare(`UPDATE segment SET body = ${sql} WHERE shard IN (2, 7)`).run().changes
  expect(damage(`CAST(body || x'00' AS BLOB)`)).toBe(2)
  const job = await rollups.add(ROLLUP_JOBS.rollup, { days }, KEPT)
  const { failedReason } = await ended(rollups, job, 'failed')
  expect(failedReason).toMatch(/^2 of 16 shards failed; shard [27]: .*(segment|part|body)/)
  expect(damage('substr(body, 1, length(body) - 1)')).toBe(2)
  await ((await rollups.getJob(job.id as string)) as Job).retry()
  expect((await ended(rollups, job, 'completed')).returnvalue).toMatchObject({ deviceDays: fleet.length })
})

test('a tick that comes while an earlier one waits for its shards does nothing', async () => {
  const { rollups, shards, service } = await queueFixture()
  await shards.pause()
  const worker = await service({ work: true }, { COOLER_REFRESH_MINUTES: '0.005' })
  await worker.pipeline.ingest.run('land', { events: fleet })
  await eventually(() => rollups.getWaitingChildrenCount()).toBe(1)
  const before = await rollups.getCompletedCount()
  await eventually(() => rollups.getCompletedCount()).toBeGreaterThan(before + 5)
  const ticks = await rollups.getCompleted(0, 3)
  expect(ticks.map(({ returnvalue }) => returnvalue)).toEqual([null, null, null, null])
  expect(await rollups.getWaitingChildrenCount()).toBe(1)
  await shards.resume()
  await eventually(() => reported(worker)).toEqual(counts)
})

test.each([
  ['no data', null, /names no shard of the store, which has 16/],
  ['a shard that there is not', { shard: 16 }, /names no shard/],
  ['a shard that is no number', { shard: '1' }, /names no shard/],
  ['days that are none', { shard: 1, days: { from: 'x', to: 5 } }, /two epoch days/],
  ['days without end', { shard: 1, days: { from: 5, to: 1e300 } }, /two epoch days/],
])('a job of a shard with %s fails at once', async (_, data, reason) => {
  const { shards, service } = await queueFixture()
  await service({ work: true }, SELDOM)
  const job = await shards.add(ROLLUP_JOBS.rollup, data, { ...KEPT, attempts: 3 })
  expect((await ended(shards, job, 'failed')).failedReason).toMatch(reason)
})

test('days that are none fail a rollup at once, and an instant to come is not believed', async () => {
  const { rollups, service } = await queueFixture()
  const worker = await service({ work: true }, SELDOM)
  const job = await rollups.add(ROLLUP_JOBS.rollup, { days: { from: 9, to: 3 } }, KEPT)
  expect((await ended(rollups, job, 'failed')).failedReason).toMatch(/the first one not later/)
  await worker.pipeline.ingest.run('land', { events: [visitors('a', 1, Date.now())] })
  const ahead = Date.now() + 5 * 86_400_000
  for (const data of [{ now: ahead }, { run: { now: ahead, shards: [] } }]) {
    await ended(rollups, await rollups.add(ROLLUP_JOBS.closeDay, data, KEPT), 'completed')
  }
  expect(await worker.pipeline.reader.rollups.lastRollupAt()).toBeLessThanOrEqual(Date.now())
})
