import { expect, onTestFinished, test } from 'vitest'
import { createProducer } from '../../src/enqueue/producer.ts'
import { checkRedis } from '../../src/queue/check-redis.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { clusterFixture, type FailoverFixture, sentinelFixture } from '../helpers/redis-topologies.ts'
import { dailyReport, epochDay, queuesAt } from '../jobs/queue-fixture.ts'

const topologies: [string, () => Promise<FailoverFixture>][] = [
  ['a Redis Cluster', clusterFixture],
  ['Sentinels', sentinelFixture],
]

test.each(topologies)('with %s producer and workers go on when the master is killed', async (_, fixture) => {
  let t = Date.now()
  const lap = (what: string) => {
    console.log(what, Date.now() - t)
    t = Date.now()
  }
  const { url, killMaster } = await fixture()
  lap('fixture')
  const { batches, service } = queuesAt(url)
  const started = await service({ api: true, work: true })
  lap('service')
  console.log(await checkRedis({ redis: url, backlogLimit: 10 }))
  lap('doctor')
  const producer = createProducer({
    connection: url,
    maxBatchAgeMs: 0,
    onError: (e) => console.log(Date.now() - t, e.message),
  })
  onTestFinished(() => producer.close())
  let sent = 0
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, () => producer.send(visitors(`cooler-${sent++}`, 1))))
  const landed = async () => (await started.pipeline.reader.landing.counters()).landed
  await send(20)
  await eventually(landed).toBe(20)
  lap('first')
  await batches.pause()
  await send(20)
  lap('second')
  await killMaster()
  lap('killed')
  await send(20)
  lap('third')
  await eventually(async () =>
    batches.resume().then(
      () => true,
      (e) => {
        console.log(e.message)
        return false
      },
    ),
  ).toBe(true)
  lap('resumed')
  await eventually(landed).toBe(60)
  lap('landed')
  console.log(await checkRedis({ redis: url, backlogLimit: 10 }))
  console.log(await (await fetch(`${started.url}/readyz`)).text())
  const { deviceDays } = await started.rollups.run({ from: epochDay(DAY), to: epochDay(DAY) })
  lap('rolled up')
  expect(deviceDays).toBe(60)
  expect((await dailyReport(started, DAY)).map(({ visitorCount }) => visitorCount)).toEqual(Array(60).fill(1))
})
