import { expect, test } from 'vitest'
import { ROLLUP_JOBS } from '../../src/queue/rollup-queue.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { dailyReport, ended, epochDay, queueFixture } from './queue-fixture.ts'

const SOON = { COOLER_REFRESH_MINUTES: '0.01' }
const days = { from: epochDay(DAY), to: epochDay(DAY) }

test('a rollup that is waited for is in the reports, and tells its device-days', async () => {
  const { service } = await queueFixture()
  const worker = await service({ work: true })
  await worker.pipeline.ingest.run('land', { events: [visitors('a', 3), visitors('b', 4)] })
  expect(await worker.rollups.run(days)).toMatchObject({ deviceDays: 2, events: 2 })
  expect(await dailyReport(worker, DAY)).toMatchObject([{ visitorCount: 3 }, { visitorCount: 4 }])
})

test('one that is only asked for follows, also where a worker comes later', async () => {
  const { service } = await queueFixture()
  const intake = await service({})
  await intake.pipeline.ingest.run('land', { events: [visitors('a', 3)] })
  await intake.rollups.request(days)
  expect(await dailyReport(intake, DAY)).toMatchObject([{ visitorCount: 0 }])
  await service({ work: true }, { COOLER_STORE: intake.config.store })
  await eventually(() => dailyReport(intake, DAY)).toMatchObject([{ visitorCount: 3 }])
})

test('a job without days, or without any data, computes what is due', async () => {
  const { service, rollups } = await queueFixture()
  const worker = await service({ work: true })
  for (const [number, data] of [{}, undefined, null].entries()) {
    await worker.pipeline.ingest.run('land', { events: [visitors(`cooler-${number}`, 3)] })
    const job = await ended(
      rollups,
      await rollups.add(ROLLUP_JOBS.rollup, data, { removeOnComplete: false }),
      'completed',
    )
    expect(job.returnvalue).toMatchObject({ deviceDays: 1, events: 1 })
  }
})

test('what is due is rolled up by itself again and again, on one set of schedules for all workers', async () => {
  const { service, rollups } = await queueFixture()
  const first = await service({ work: true }, SOON)
  await service({ work: true }, { ...SOON, COOLER_STORE: first.config.store })
  for (const count of [1, 2, 3]) {
    await first.pipeline.ingest.run('land', { events: [visitors('a', count)] })
    const visitorCount = (count * (count + 1)) / 2
    await eventually(() => dailyReport(first, DAY)).toMatchObject([{ visitorCount }])
  }
  expect(await rollups.getJobSchedulersCount()).toBe(5)
  expect(await rollups.getFailedCount()).toBe(0)
})

test('many rollups at once give what one gives', async () => {
  const { service } = await queueFixture()
  const worker = await service({ work: true })
  const other = await service({ work: true }, { COOLER_STORE: worker.config.store })
  const events = Array.from({ length: 60 }, (_, number) => visitors(`cooler-${number}`, number))
  await worker.pipeline.ingest.run('land', { events })
  const runs = [worker, other].flatMap(({ rollups }) => [rollups.run(days), rollups.run(days), rollups.run(days)])
  await Promise.all(runs)
  const counts = (await dailyReport(worker, DAY)).map(({ visitorCount }) => visitorCount)
  expect(counts.toSorted((one, next) => Number(one) - Number(next))).toEqual(events.map((_, number) => number))
})
