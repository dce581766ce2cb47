import { expect, test } from 'vitest'
import { millisecondsInDay, millisecondsInHour, utcDayOf } from '../../src/base/time.ts'
import { ROLLUP_JOBS } from '../../src/queue/rollup-queue.ts'
import { eventually } from '../helpers/eventually.ts'
import { receiver, status } from '../notify/receiver.ts'
import { queueFixture } from './queue-fixture.ts'

test('with a queue a job tells what days had, once for all workers', async () => {
  const { url, received } = await receiver(status(204))
  const { service, rollups } = await queueFixture()
  const settings = { COOLER_WEBHOOK_PRIVATE: '1', COOLER_REFRESH_MINUTES: '0.01' }
  const worker = await service({ work: true }, settings)
  await service({ work: true }, { ...settings, COOLER_STORE: worker.config.store })
  const day = (utcDayOf(Date.now()) - 2) * millisecondsInDay
  const channel = { type: 'webhook', url, format: 'json' }
  const subscription = { id: 'all', kind: 'exceptions', when: 'settled', exceptions: { off: {} }, channel }
  const put = { name: 'putSubscription', values: ['all', JSON.stringify(subscription), day] } as const
  await worker.pipeline.notify.run('call', put)
  const power = (hours: number, on: boolean) => {
    return { deviceId: 'a', at: day + hours * millisecondsInHour, type: 'power', on }
  }
  await worker.pipeline.ingest.run('land', { events: [power(1, false), power(9, true)] })
  await eventually(() => received.length).toBeGreaterThan(0)
  await Promise.all([1, 2, 3].map(() => rollups.add(ROLLUP_JOBS.notify, {})))
  await eventually(() => rollups.getActiveCount()).toBe(0)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(received).toHaveLength(1)
})
