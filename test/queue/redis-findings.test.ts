import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkRedis } from '../../src/queue/check-redis.ts'
import { queueFindings } from '../../src/queue/queue-findings.ts'
import { redisFindings } from '../../src/queue/redis-findings.ts'
import { type RedisState, readRedisState } from '../../src/queue/redis-state.ts'
import { visitors } from '../helpers/events.ts'
import { privateRedis } from '../helpers/redis.ts'
import { queueFixture } from '../jobs/queue-fixture.ts'

const GOOD: RedisState = {
  topology: 'server',
  node: 'redis.example:6379',
  version: '7.2.4',
  mode: 'standalone',
  role: 'master',
  replicas: 0,
  maxmemoryPolicy: 'noeviction',
  memoryLimitBytes: 1e9,
  memoryUsedBytes: 1e8,
  appendOnly: true,
  appendFsync: 'always',
  failedWrites: [],
  clockAheadMs: 3,
}

type Severities = Record<string, string>

const severities = (findings: readonly { check: string; severity: string }[]): Severities =>
  Object.fromEntries(findings.map(({ check, severity }) => [check, severity]))

const connect = (options: { path: string; username?: string; password?: string }): Redis => {
  const client = new Redis({ ...options, enableReadyCheck: false }) // That asks for INFO, which not all may.
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return client
}

describe('what a Redis tells of itself', () => {
  test.each<[Partial<RedisState>, Severities]>([
    [{}, {}],
    [{ version: '4.0.14' }, { 'redis version': 'failure' }],
    [{ version: '5.0.0' }, { 'redis version': 'warning' }],
    [{ version: '6.0.16' }, { 'redis version': 'warning' }],
    [{ version: '6.2.0' }, {}],
    [{ version: '10.0.0' }, {}],
    [{ mode: 'cluster' }, { 'redis kind': 'failure' }],
    [{ mode: 'sentinel' }, { 'redis kind': 'failure' }],
    [{ mode: 'cluster', topology: 'cluster', replicas: 1 }, {}],
    [{ mode: 'cluster', topology: 'cluster', replicas: 0 }, { 'redis failover': 'warning' }],
    [{ topology: 'sentinel', replicas: 2 }, {}],
    [{ topology: 'sentinel', replicas: null }, { 'redis failover': 'unknown' }],
    [{ role: 'slave' }, { 'redis kind': 'failure' }],
    [{ maxmemoryPolicy: 'allkeys-lru' }, { 'redis maxmemory-policy': 'failure' }],
    [
      { maxmemoryPolicy: 'volatile-lru', memoryLimitBytes: 0 },
      { 'redis maxmemory-policy': 'warning', 'redis memory': 'warning' },
    ],
    [{ appendOnly: false }, { 'redis persistence': 'failure' }],
    [{ appendOnly: false, replicas: 1 }, { 'redis persistence': 'warning' }],
    [{ appendFsync: 'everysec' }, {}],
    [{ appendFsync: 'no' }, { 'redis persistence': 'failure' }],
    [{ appendFsync: null }, { 'redis persistence': 'unknown' }],
    [{ failedWrites: ['snapshot'] }, { 'redis disk': 'failure' }],
    [{ memoryUsedBytes: 6e8 }, {}],
    [{ memoryUsedBytes: 6.1e8 }, { 'redis memory': 'warning' }],
    [{ memoryUsedBytes: 8.1e8 }, { 'redis memory': 'failure' }],
    [{ clockAheadMs: -5000 }, {}],
    [{ clockAheadMs: 5001 }, { 'redis clock': 'warning' }],
    [{ clockAheadMs: -90_000 }, { 'redis clock': 'warning' }],
  ])('%j gives %j', (state, wrong) => {
    const all = redisFindings({ ...GOOD, ...state })
    expect(severities(all.filter(({ severity }) => severity !== 'ok'))).toEqual(wrong)
    for (const { severity, advice } of all) expect(advice !== null).toBe(severity !== 'ok')
  })

  test('is read from a real one, as it is set up', async () => {
    const redis = await privateRedis({ durable: true })
    const client = connect({ path: redis.socket })
    await client.config('SET', 'maxmemory', '100mb')
    expect(await readRedisState(client)).toEqual({
      ...GOOD,
      node: redis.socket,
      version: expect.stringMatching(/^\d+\.\d+/),
      memoryLimitBytes: 100 * 2 ** 20,
      memoryUsedBytes: expect.any(Number),
      clockAheadMs: expect.any(Number),
    })
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await client.config('SET', 'appendonly', 'no')
    expect(severities(redisFindings(await readRedisState(client)))).toMatchObject({
      'redis maxmemory-policy': 'failure',
      'redis persistence': 'failure',
      'redis memory': 'ok',
      'redis clock': 'ok',
    })
  })

  test('is unknown where its user may not ask, which is no failure', async () => {
    const redis = await privateRedis({ durable: true })
    const client = connect({ path: redis.socket })
    await client.call('ACL', 'SETUSER', 'managed', 'on', '>secret', '~*', '&*', '+@all', '-config')
    await client.call('ACL', 'SETUSER', 'poor', 'on', '>secret', '~*', '&*', '+@all', '-config', '-info', '-time')
    const asked = (username: string) => readRedisState(connect({ path: redis.socket, username, password: 'secret' }))
    expect(severities(redisFindings(await asked('managed')))).toMatchObject({
      'redis maxmemory-policy': 'ok', // INFO has it, too.
      'redis persistence': 'unknown',
    })
    const poor = redisFindings(await asked('poor'))
    expect(new Set(poor.map(({ severity }) => severity))).toEqual(new Set(['unknown', 'ok']))
    expect(severities(poor)).toMatchObject({ 'redis version': 'unknown', 'redis clock': 'unknown' })
  })
})

describe('what the queue holds', () => {
  const good = { waiting: 0, failed: 0, workers: 1, oldestWaitingMs: 0, lastFailedReason: null }

  test.each<[object, Severities]>([
    [{}, { 'queue backlog': 'ok', 'queue workers': 'ok', 'queue failed batches': 'ok' }],
    [{ waiting: 51 }, { 'queue backlog': 'warning' }],
    [{ waiting: 100 }, { 'queue backlog': 'failure' }],
    [{ waiting: 1, oldestWaitingMs: 601_000 }, { 'queue backlog': 'warning' }],
    [{ workers: 0 }, { 'queue workers': 'warning' }],
    [{ workers: 0, waiting: 1 }, { 'queue workers': 'failure' }],
    [{ workers: null }, { 'queue workers': 'unknown' }],
    [{ failed: 2, lastFailedReason: 'bad-request: no' }, { 'queue failed batches': 'warning' }],
  ])('%j gives %j', (state, expected) => {
    expect(severities(queueFindings({ ...good, ...state }, 100))).toMatchObject(expected)
  })
})

test('a Redis and its queue are looked at from outside, workers or none', async () => {
  const { redis, service, enqueue, batches } = await queueFixture()
  const check = () => checkRedis({ redis: redis.socket, backlogLimit: 10 })
  expect(severities(await check())).toMatchObject({ redis: 'ok', 'queue workers': 'warning' })
  await enqueue({ events: [visitors('a', 1)] })
  expect(severities(await check())).toMatchObject({ 'queue workers': 'failure', 'queue backlog': 'ok' })
  await service({ work: true })
  await enqueue('no batch')
  await expect.poll(() => batches.getFailedCount(), { timeout: 30_000 }).toBe(1)
  const findings = await check()
  expect(severities(findings)).toMatchObject({ 'queue workers': 'ok', 'queue failed batches': 'warning' })
  expect(findings.find(({ check }) => check === 'queue failed batches')?.message).toMatch(/1 .*bad-request/)
})

test.each([
  ['redis://user:geheim@127.0.0.1:1', /^Redis at 127.0.0.1:1 .*ECONNREFUSED/],
  [
    'redis+cluster://user:geheim@127.0.0.1:1,[::1]:2',
    /^the Redis Cluster at 127.0.0.1:1, \[::1\]:2 .*no node .* answers/,
  ],
  [
    'redis+sentinel://user:geheim@127.0.0.1:1/fleet?sentinelPassword=geheim',
    /^Redis fleet, of the Sentinels at 127.0.0.1:1 .*no Sentinel/,
  ],
])('%s, which is away, is a failure, told within seconds and without its password', async (redis, message) => {
  const findings = await checkRedis({ redis, backlogLimit: 10 })
  expect(findings).toMatchObject([{ check: 'redis', severity: 'failure', message: expect.stringMatching(message) }])
  expect(JSON.stringify(findings)).not.toMatch(/geheim/)
})
