import type { Job, Queue } from 'bullmq'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { BATCH_JOB, BATCH_JOB_OPTIONS } from '../../src/queue/queue-contract.ts'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { queueFixture } from '../jobs/queue-fixture.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, runsOf, tellRuns } from './fuzz-runs.ts'
import { expand, jsonText, ODD_NAMES } from './json-text.ts'
import { type FuzzJob, fateOf, fuzzJob } from './queue-payloads.ts'

/** What a producer sends, kept when it is done, so that its end can be seen. */
const KEPT = { ...BATCH_JOB_OPTIONS, removeOnComplete: false } as const

/** Jobs of one input: good ones go before, between and after them. */
const JOBS = 8

async function fixture() {
  const { service, batches, redis: server } = await queueFixture()
  const redis = new Redis({ path: server.socket })
  onTestFinished(() => redis.disconnect())
  const worker = await service({ work: true })
  let goods = 0
  return {
    batches,
    redis,
    worker,
    addGood: () => batches.add(BATCH_JOB, { events: [visitors(`good-${goods++}`, 1)] }, KEPT),
    async expectAllGood() {
      const { devices } = await worker.pipeline.reader.registry
        .devicesAfter('good-', 1_000_000)
        .then((all) => ({ devices: all.filter(({ id }) => /^good-\d+$/.test(id)) }))
      expect(devices.length).toBe(goods)
    },
  }
}

const keyOf = (queue: Queue, { id }: Job): string => queue.toKey(id as string)

/** Resolves when all have ended. */
async function ended(queue: Queue, jobs: readonly Job[]): Promise<Job[]> {
  const states = () => Promise.all(jobs.map(({ id }) => queue.getJobState(id as string)))
  await eventually(async () => (await states()).filter((state) => !/completed|failed/.test(state))).toEqual([])
  return Promise.all(jobs.map(async ({ id }) => (await queue.getJob(id as string)) as Job))
}

test(
  'whatever a job holds it ends at its first attempt, completed or failed with one reason, and batches around it land',
  async () => {
    const startedAt = performance.now()
    const { batches, redis, addGood, expectAllGood } = await fixture()
    const sendable = fuzzJob.filter((job) => fateOf(job) !== null)
    await fc.assert(
      fc.asyncProperty(fc.array(sendable, { minLength: JOBS, maxLength: JOBS }), async (inputs) => {
        await batches.pause()
        const goods = [await addGood()]
        const jobs: Job[] = []
        for (const { name, options, data } of inputs) {
          const job = await batches.add(name, {}, { ...KEPT, ...options })
          await redis.hset(keyOf(batches, job), 'data', expand(data))
          jobs.push(job)
          goods.push(await addGood())
        }
        await batches.resume()
        for (const job of await ended(batches, goods)) expect(job.returnvalue).toEqual({ landed: 1, rejected: 0 })
        for (const [index, job] of (await ended(batches, jobs)).entries()) expectFate(job, inputs[index])
      }),
      { ...fuzzed('queue jobs'), numRuns: Math.ceil(runsOf('queue jobs') / JOBS) },
    )
    await expectAllGood()
    tellRuns('queue jobs', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

function expectFate({ failedReason, returnvalue, attemptsMade }: Job, input: FuzzJob): void {
  const fate = fateOf(input)
  if (fate === null) return
  expect(attemptsMade, failedReason).toBe(1)
  if ('fails' in fate) {
    expect(failedReason).toMatch(fate.fails)
    return
  }
  expect(failedReason).toBe(undefined)
  expect(returnvalue.landed + returnvalue.rejected).toBe(fate.events)
}

const FIELDS = [
  ...['data', 'data', 'data', 'opts', 'opts', 'name', 'timestamp', 'delay', 'priority', 'atm', 'ats', 'stc', 'parent'],
  ...[
    'parentKey',
    'progress',
    'returnvalue',
    'stacktrace',
    'failedReason',
    'defa',
    'deid',
    'processedOn',
    'finishedOn',
    'pb',
  ],
]
const VALUES = [
  '',
  'x',
  '{',
  'null',
  '7',
  '-1',
  '[]',
  '{}',
  '"x"',
  '1e999',
  'NaN',
  '{"attempts":"x"}',
  '{"parent":7}',
  '\0',
]

const garbage = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...FIELDS) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) },
    ),
    fc.oneof(
      fc.constantFrom(...VALUES),
      jsonText,
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
  ),
  { minLength: 1, maxLength: 3 },
)
const spoiling = fc.oneof(
  { weight: 12, arbitrary: garbage },
  { weight: 1, arbitrary: fc.constantFrom('no hash', 'a string', 'a list') },
)

test(
  'whatever a person writes into the hash of a job, batches before and after it land, and the worker ends when told',
  async () => {
    const startedAt = performance.now()
    const { batches, redis, worker, addGood, expectAllGood } = await fixture()
    await fc.assert(
      fc.asyncProperty(spoiling, async (how) => {
        await batches.pause()
        const goods = [await addGood()]
        const key = keyOf(batches, await batches.add(BATCH_JOB, { events: [] }, KEPT))
        if (typeof how === 'string') await redis.del(key)
        if (how === 'a string') await redis.set(key, 'x')
        if (how === 'a list') await redis.rpush(key, 'x')
        if (typeof how !== 'string') {
          for (const [field, value] of how)
            await redis.hset(key, field, typeof value === 'string' ? expand(value) : value)
        }
        goods.push(await addGood())
        await batches.resume()
        for (const job of await ended(batches, goods)) expect(job.returnvalue).toEqual({ landed: 1, rejected: 0 })
      }),
      fuzzed('hashes in Redis'),
    )
    await expectAllGood()
    await worker.close()
    tellRuns('hashes in Redis', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
