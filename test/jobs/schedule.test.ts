import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ensureSchedules } from '../../jobs/schedule.ts'
import { ROLLUP_JOBS } from '../../src/queue/rollup-queue.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { dailyReport, epochDay, queueFixture } from './queue-fixture.ts'

const OPTIONS = { refreshMs: 900_000, rollupAtMinute: 20 }
const DAY_MS = 86_400_000
const days = { from: epochDay(DAY), to: epochDay(DAY) }

type Schedules = Awaited<ReturnType<typeof queueFixture>>['rollups']

const nextTicks = async (queue: Schedules): Promise<Record<string, number>> =>
  Object.fromEntries((await queue.getJobSchedulers()).map(({ key, next }) => [key, next ?? 0]))

describe('the schedules', () => {
  test('are one each, in UTC, and the next tick of each is near', async () => {
    const { rollups } = await queueFixture()
    await Promise.all([ensureSchedules(rollups, OPTIONS), ensureSchedules(rollups, OPTIONS)])
    const found = await rollups.getJobSchedulers()
    expect(found.map(({ key, name, pattern, every, tz }) => ({ key, name, pattern, every, tz }))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'rollup', name: 'rollup', every: 900_000 }),
        expect.objectContaining({ key: 'close-day', name: 'close-day', pattern: '0 5,20,35,50 * * * *', tz: 'UTC' }),
        expect.objectContaining({ key: 'compact', name: 'compact', tz: 'UTC' }),
        expect.objectContaining({ key: 'prune-raw', name: 'prune-raw', tz: 'UTC' }),
        expect.objectContaining({ key: 'notify', name: 'notify', every: 15_000 }),
      ]),
    )
    expect(found).toHaveLength(5)
    for (const next of Object.values(await nextTicks(rollups))) expect(next).toBeLessThanOrEqual(Date.now() + DAY_MS)
  })

  test('stay as they are where they are sound, and change where a setting has', async () => {
    const { rollups } = await queueFixture()
    await ensureSchedules(rollups, OPTIONS)
    const before = await nextTicks(rollups)
    await ensureSchedules(rollups, OPTIONS)
    expect(await nextTicks(rollups)).toEqual(before)
    await ensureSchedules(rollups, { refreshMs: 600_000, rollupAtMinute: 31 })
    expect(await rollups.getJobScheduler('rollup')).toMatchObject({ every: 600_000 })
    expect(await rollups.getJobScheduler('close-day')).toMatchObject({ pattern: '0 1,16,31,46 * * * *' })
    expect(await rollups.getJobSchedulersCount()).toBe(5)
  })

  test('tick soon again where the clock was ahead and has been set back', async () => {
    const { rollups } = await queueFixture()
    const ahead = Date.now() + 3 * DAY_MS
    await rollups.upsertJobScheduler('rollup', { every: 900_000, startDate: ahead }, { name: 'rollup' })
    expect(await nextTicks(rollups)).toEqual({ rollup: expect.closeTo(ahead, -6) })
    await ensureSchedules(rollups, OPTIONS)
    expect((await nextTicks(rollups)).rollup).toBeLessThanOrEqual(Date.now() + 900_000)
    expect(await rollups.getJobSchedulersCount()).toBe(5)
  })
})

test('a worker whose Redis has lost all its data goes on rolling up by itself', async () => {
  const { service, redis, rollups } = await queueFixture()
  const worker = await service({ work: true }, { COOLER_REFRESH_MINUTES: '0.01' })
  await worker.pipeline.ingest.run('land', { events: [visitors('a', 1)] })
  await eventually(() => dailyReport(worker, DAY)).toMatchObject([{ visitorCount: 1 }])
  const client = new Redis(redis.socket)
  onTestFinished(() => client.disconnect())
  await client.flushall()
  await worker.pipeline.ingest.run('land', { events: [visitors('a', 2)] })
  await eventually(() => dailyReport(worker, DAY)).toMatchObject([{ visitorCount: 3 }])
  await eventually(() => rollups.getJobSchedulersCount()).toBe(5)
})

test('a rollup that is asked for again under the same name runs again', async () => {
  const { service, rollups } = await queueFixture()
  const worker = await service({ work: true }, { COOLER_REFRESH_MINUTES: '60' })
  for (const count of [1, 2, 3]) {
    await worker.pipeline.ingest.run('land', { events: [visitors('a', count)] })
    await rollups.add(ROLLUP_JOBS.rollup, { days }, { jobId: 'nightly' })
    const visitorCount = (count * (count + 1)) / 2
    await eventually(() => dailyReport(worker, DAY)).toMatchObject([{ visitorCount }])
    await eventually(() => rollups.getJobState('nightly')).toBe('unknown')
  }
})

test('a job of an unknown name fails at once, and is told', async () => {
  const { service, rollups } = await queueFixture()
  await service({ work: true })
  const job = await rollups.add('roll-down', {}, { removeOnFail: false })
  await eventually(() => job.getState()).toBe('failed')
  expect((await rollups.getJob(job.id as string))?.failedReason).toBe('no job of this queue is named roll-down')
})

test('what closes, is compacted and pruned by jobs is what is due for it', async () => {
  const { service, rollups } = await queueFixture()
  const settings = { COOLER_REFRESH_MINUTES: '60', COOLER_RAW_RETENTION_DAYS: '400' }
  const worker = await service({ work: true }, settings)
  const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()
  const events = [visitors('a', 1, daysAgo(500)), visitors('a', 2, daysAgo(20)), visitors('a', 3, daysAgo(0))]
  await worker.pipeline.ingest.run('land', { events })
  const { due, archive } = worker.pipeline.reader
  await rollups.add(ROLLUP_JOBS.closeDay, {})
  await eventually(async () => (await due.counts(Date.now())).dueSegments).toBe(0)
  await rollups.add(ROLLUP_JOBS.compact, {})
  await eventually(async () => (await archive.daysToCompact(Number.MAX_SAFE_INTEGER)).length).toBe(1)
  expect(await archive.purgedBefore()).toBe(0)
  await rollups.add(ROLLUP_JOBS.pruneRaw, {})
  await eventually(() => archive.purgedBefore()).toBeGreaterThan(Date.now() - 501 * DAY_MS)
  expect(await archive.nextDay(0, 0)).toBe(Math.floor(Date.parse(daysAgo(20)) / DAY_MS))
})
