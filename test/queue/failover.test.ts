import { expect, onTestFinished, test } from 'vitest'
import { createProducer } from '../../src/enqueue/producer.ts'
import { checkRedis } from '../../src/queue/check-redis.ts'
import { failure } from '../enqueue/producer-fixture.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { clusterFixture, type FailoverFixture, sentinelFixture } from '../helpers/redis-topologies.ts'
import { dailyReport, epochDay, queuesAt } from '../jobs/queue-fixture.ts'

const TOPOLOGIES: [name: string, start: () => Promise<FailoverFixture>][] = [
  ['Redis Cluster', clusterFixture],
  ['Sentinel', sentinelFixture],
]

const COOLERS_AT_ONCE = 20

/** What `doctor` says of each check. */
const checksOf = async (redis: string): Promise<Record<string, string>> => {
  const findings = await checkRedis({ redis, backlogLimit: 1000 })
  return Object.fromEntries(findings.map(({ check, severity, message }) => [check, `${severity}: ${message}`]))
}

/** A service and a producer, and coolers each of which has one visitor. */
async function fleetAt(url: string) {
  const { batches, enqueue, service } = queuesAt(url)
  const started = await service({ api: true, work: true }, { COOLER_RATE_LIMIT: '6' })
  const producer = createProducer({ connection: url, maxBatchEvents: 5, maxBatchAgeMs: 1 })
  onTestFinished(() => producer.close())
  let coolers = 0
  return {
    batches,
    enqueue,
    started,
    /** Resolves when Redis has acknowledged the visitors of some more coolers. */
    async sendMore(): Promise<void> {
      const next = Array.from({ length: COOLERS_AT_ONCE }, () => visitors(`cooler-${coolers++}`, 1))
      await Promise.all(next.map((event) => producer.send(event)))
    },
    /** All batches have been worked on; some may have landed twice. */
    async expectLanded(): Promise<void> {
      await eventually(async () => (await started.pipeline.reader.landing.counters()).landed).toBeGreaterThan(
        coolers - 1,
      )
      await eventually(() => batches.getJobCounts('waiting', 'active', 'delayed')).toEqual({
        waiting: 0,
        active: 0,
        delayed: 0,
      })
    },
    async expectEachOnce(): Promise<void> {
      const day = epochDay(DAY)
      await started.rollups.run({ from: day, to: day })
      const visits = (await dailyReport(started, DAY)).map(({ visitorCount }) => visitorCount)
      expect(visits).toEqual(Array(coolers).fill(1))
    },
  }
}

test.each(TOPOLOGIES)(
  '%s: all go on when the master is killed, and nothing is lost of what its replica had',
  async (_, start) => {
    const { url, master, replica, killMaster } = await start()
    const { batches, started, enqueue, sendMore, expectLanded, expectEachOnce } = await fleetAt(url)
    await sendMore()
    await expectLanded()
    expect(await checksOf(url)).toMatchObject({
      'redis kind': `ok: master 127.0.0.1:${master.port} holds the queue`,
      'redis failover': expect.stringMatching(/^ok: .* has 1 replica/),
      'redis persistence': 'ok: appendfsync always',
      'queue workers': 'ok: 1 connected',
    })

    await batches.pause() // What is sent now is in the queue when the master is killed.
    await sendMore()
    const { id = '' } = await enqueue({ events: [] })
    await master.client.hset(batches.toKey(id), 'data', 'no JSON')
    await killMaster()
    await sendMore()
    await batches.resume()
    await expectLanded()

    expect(await checksOf(url)).toMatchObject({
      'redis kind': `ok: master 127.0.0.1:${replica.port} holds the queue`,
      'redis failover': expect.stringMatching(/^warning: .* has no replica/),
      'queue malformed jobs': `warning: job ${id}: no worker could read the fields of these jobs`,
    })
    // The service may notice the new master later than the producer.
    await eventually(async () => (await fetch(`${started.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${started.url}/queues/api/queues`)).json()).toMatchObject({
      queues: [{ name: 'telemetry', counts: { failed: 1 } }, { name: 'rollup' }, {}, {}],
    })
    expect((await fetch(`${started.url}/v1/status`)).status).toBe(200)
    const prefix = batches.opts.prefix
    const keys = await replica.client.keys('*')
    expect(keys.filter((key) => !key.startsWith(`${prefix}:`))).toEqual(['{cooler}written-before'])
    expect(keys.filter((key) => key.startsWith(`${prefix}:cooler:turns:`))).toHaveLength(1)
    await expectEachOnce()
  },
)

test('a master that stands still, and closes no connection, is given up within seconds', async () => {
  const sendPast = async ({ url, master }: FailoverFixture): Promise<void> => {
    const producer = createProducer({ connection: url })
    onTestFinished(() => producer.close())
    await producer.sendBatch([visitors('a', 1)])
    master.freeze()
    onTestFinished(() => master.wake())
    await producer.sendBatch([visitors('b', 1)])
  }
  await Promise.all(TOPOLOGIES.map(async ([, start]) => sendPast(await start())))
})

/** What doctor, the producer and `readyz` say when the URL is for another kind of Redis than there is. */
async function expectAdvice(url: string, advice: RegExp): Promise<void> {
  const findings = await checkRedis({ redis: url, backlogLimit: 1000 })
  expect(JSON.stringify(findings.filter(({ severity }) => severity === 'failure'))).toMatch(advice)
  const producer = createProducer({ connection: url, retryForMs: 0 })
  expect(String(await failure(producer.sendBatch([visitors('a', 1)])))).toMatch(advice)
  await failure(producer.close())
}

test('a URL for another kind of Redis than there is is told which to write', async () => {
  const [cluster, { master, replica, sentinel, url }] = await Promise.all([clusterFixture(), sentinelFixture()])
  const at = ({ port }: { port: number }): string => `redis://127.0.0.1:${port}`
  await expectAdvice(at(cluster.master), /redis\+cluster:\/\//)
  await expectAdvice(at(cluster.replica), /redis\+cluster:\/\//)
  await expectAdvice(at(sentinel), /redis\+sentinel:\/\//)
  await expectAdvice(at(replica), /replica.*master.*Sentinels/)
  await expectAdvice(`redis+cluster://127.0.0.1:${master.port}`, /not part of a cluster/)
  await expectAdvice(`redis+sentinel://127.0.0.1:${master.port}/fleet`, /no Sentinel/)
  await expectAdvice(url.replace('fleet', 'other'), /none of that name \(other\)/)
  const started = await queuesAt(at(cluster.master)).service({ api: true })
  expect(await (await fetch(`${started.url}/readyz`)).text()).toMatch(/write redis\+cluster:/)
})

test('on a Redis Cluster a prefix, or a name of the queue, has a hash tag', () => {
  const connection = 'redis+cluster://127.0.0.1:1'
  for (const prefix of ['mine', '{}', 'a}{', '{}{b}']) {
    expect(() => createProducer({ connection, prefix })).toThrow(/^connection, queueName or prefix: .*hash tag/)
  }
  for (const right of [{ prefix: '{mine}' }, { prefix: 'a{b}c' }, { prefix: 'mine', queueName: '{telemetry}' }]) {
    onTestFinished(() => createProducer({ connection, ...right }).close())
  }
})
