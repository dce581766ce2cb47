import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { checkRedis } from '../../src/queue/check-redis.ts'
import { openQueueBoard } from '../../src/queue/queue-board.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { queueFixture } from '../jobs/queue-fixture.ts'

const good = { events: [visitors('a', 1)] }

/** A job whose fields are then overwritten, as a producer of another language might write them. */
async function malformed() {
  const fixture = await queueFixture()
  const client = new Redis(fixture.redis.socket)
  onTestFinished(() => client.disconnect())
  const damage = async (fields: Record<string, string>, queue = fixture.batches): Promise<string> => {
    const { id = '' } = await queue.add('batch', good)
    await client.hset(queue.toKey(id), fields)
    return id
  }
  return { ...fixture, client, damage }
}

test('jobs that BullMQ cannot read end up in failed, with their text, and hold up no others; doctor names them', async () => {
  const { service, batches, rollups, enqueue, client, damage, redis } = await malformed()
  const cut = `{"events":[${'{"deviceId":"K\u00fchler"},'.repeat(50_000)}`
  const ids = [
    await damage({ data: cut }),
    await damage({ opts: 'null' }),
    await damage({ opts: '{"attempts":' }),
    await damage({ data: 'NaN', opts: '7x', parent: 'null' }),
  ]
  const rollup = await damage({ data: '{' }, rollups)
  await enqueue(good)
  // What waits is looked at, too, though it cannot be read.
  expect((await checkRedis({ redis: redis.socket, backlogLimit: 100 })).map(({ check }) => check)).toContain(
    'queue malformed jobs',
  )
  const worker = await service({ work: true })
  await eventually(async () => (await worker.pipeline.reader.landing.counters()).landed).toBe(1)
  await eventually(() => batches.getFailedCount()).toBe(ids.length)
  await eventually(() => rollups.getFailedCount()).toBe(1)
  expect(await rollups.getJobState(rollup)).toBe('failed')
  await eventually(() => batches.getActiveCount()).toBe(0)
  expect(JSON.parse((await client.hget(batches.toKey(ids[0]), 'data')) as string)).toBe(cut)
  expect(await client.hget(batches.toKey(ids[2]), 'malformed:opts')).toBe('{"attempts":')
  for (const id of ids) {
    expect((await batches.getJob(id))?.failedReason).toMatch(/^malformed-job: (data|opts).* cannot be read/)
    expect(await client.exists(`${batches.toKey(id)}:lock`)).toBe(0)
  }
  const findings = await checkRedis({ redis: redis.socket, backlogLimit: 100 })
  const finding = findings.find(({ check }) => check === 'queue malformed jobs')
  expect(finding).toMatchObject({ severity: 'warning' })
  for (const id of ids) expect(finding?.message).toContain(`job ${id}`)
  // The board reads them, and whoever retries one whose batch is whole has it landed.
  const board = await openQueueBoard({ redis: redis.socket, names: [batches.name], onError: () => {} })
  const path = '/api/queues'
  const query = { activeQueue: batches.name, status: 'failed', page: '1', jobsPerPage: '10' }
  expect((await board.answer({ method: 'GET', path, query, body: {} }))?.status).toBe(200)
  await board.close()
  await (await batches.getJob(ids[1]))?.retry()
  await eventually(async () => (await worker.pipeline.reader.landing.counters()).landed).toBe(2)
})
