import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { bridging, counted, ended } from './bridge-fixture.ts'
import { cooler } from './cooler.ts'
import { countDevices } from './in-process.ts'
import { mosquitto } from './mosquitto.ts'

test('messages of one event or many land, those that are none are rejected where they can be read', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const running = await bridging(program, [broker.url, '--topic', 'coolers/+/events'])
  await broker.publish('coolers/a/events', JSON.stringify(visitors('a', 1)), 'no JSON\nat all', '{"cut":')
  await broker.publish('coolers/b/events', JSON.stringify([visitors('b', 1), visitors('b', -1)]))
  await broker.publish('elsewhere', JSON.stringify(visitors('c', 1)))
  await eventually(() => counted(program)).toEqual({ landed: 2, rejected: 3 })
  expect((await ended(running)).code).toBe(0)
  expect((await program.json('devices', '--json')).map(({ id }) => id)).toEqual(['a', 'b'])
  const raw = (await program.json('rejects', '--json')).map((reject) => reject.raw)
  expect(raw).toContain(JSON.stringify('no JSON\nat all'))
})

test('no message keeps it from the next one: bytes that are no text, numbers beyond all, nesting beyond any stack', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const running = await bridging(program, [broker.url, '--topic', 'events'])
  const deep = `{"deviceId":"deep","at":"2025-06-01T12:00:00Z","type":"power","on":true,"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const beyond = '{"deviceId":"a","at":"2025-06-01T12:00:00Z","type":"gps","lat":1,"lon":2,"address":1e999}'
  const latin = Buffer.from(JSON.stringify(visitors('K\xfchler', 1)), 'latin1')
  await broker.publish('events', latin, beyond, deep, '', JSON.stringify(visitors('next', 1)))
  await eventually(() => counted(program)).toEqual({ landed: 2, rejected: 2 })
  await ended(running)
  expect((await program.json('devices', '--json')).map(({ id }) => id)).toEqual(['deep', 'next'])
})

test('what comes while it is away, killed or cut off from its broker lands when it is back', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const args = [broker.url, '--topic', 'events']
  await ended(await bridging(program, args), 'SIGKILL')
  const messages = (prefix: string) => manyVisitors(40, prefix).map((event) => JSON.stringify(event))
  await broker.publish('events', ...messages('away-'))
  const running = await bridging(program, args)
  await eventually(() => counted(program)).toMatchObject({ landed: 40 })
  await broker.kill()
  await broker.restart()
  await broker.publish('events', ...messages('later-'))
  await eventually(() => countDevices(program)).toBe(80)
  await ended(running)
})

test('a message is acknowledged only when its events are durable: one that a locked store held up comes again', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const args = [broker.url, '--topic', 'events']
  const running = await bridging(program, args)
  await broker.publish('events', JSON.stringify(visitors('first', 1)))
  await eventually(() => counted(program)).toMatchObject({ landed: 1 })
  const other = new Database(program.store)
  other.exec('BEGIN IMMEDIATE')
  await broker.publish('events', JSON.stringify(visitors('second', 1)))
  await eventually(() => running.stderr()).toMatch(/events cannot be put down: trying again/)
  await ended(running, 'SIGKILL')
  other.exec('ROLLBACK')
  other.close()
  expect(await counted(program)).toMatchObject({ landed: 1 })
  await bridging(program, args)
  await eventually(() => counted(program)).toMatchObject({ landed: 2 })
})

test('a mapping makes events of what devices send, by topic and member; several connections share the topics', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const mapping = join(dirname(program.store), 'mapping.json')
  writeFileSync(
    mapping,
    JSON.stringify({
      deviceId: { topic: 1 },
      at: { from: 'ts', format: 'epoch-seconds' },
      events: [
        { type: 'temperature', celsius: { from: 'temp.f', unit: 'fahrenheit' } },
        { type: 'door', open: { from: 'door', true: ['offen'], false: ['zu'] } },
      ],
    }),
  )
  const running = await bridging(program, [
    ...[broker.url, '--topic', 'fleet/+/state', '--mapping', mapping, '--connections', '3'],
  ])
  await eventually(() => running.stderr().match(/bridge takes messages/g)?.length).toBe(3)
  const ts = Date.parse('2025-06-01T12:00:00Z') / 1000
  await broker.publish('fleet/x7/state', JSON.stringify({ ts, temp: { f: 41 }, door: 'offen' }), '{"battery":77}')
  await broker.publish('fleet/x8/state', JSON.stringify({ ts, temp: { f: 'hot' } }))
  await eventually(() => counted(program)).toEqual({ landed: 2, rejected: 1 })
  expect(await program.json('events', 'x7')).toEqual([
    { deviceId: 'x7', at: '2025-06-01T12:00:00.000Z', type: 'door', open: true },
    { deviceId: 'x7', at: '2025-06-01T12:00:00.000Z', type: 'temperature', celsius: 5 },
  ])
})

test('with a queue the events go there, and wait while Redis is away', async () => {
  const [broker, program, redis] = [await mosquitto(), cooler(), await privateRedis({ durable: true })]
  const env = { REDIS_URL: redis.socket }
  const bridge = await bridging(program, [broker.url, '--topic', 'events', '--queue'], env)
  await redis.kill('SIGKILL')
  await broker.publish('events', JSON.stringify(visitors('a', 1)))
  await redis.restart()
  await program.service(['start'], env)
  await eventually(() => counted(program)).toMatchObject({ landed: 1 })
  expect((await ended(bridge)).code).toBe(0)
})

test.each([
  [['http://127.0.0.1', '--topic', 'a'], /mqtt:\/\/ or mqtts:\/\/ URL/],
  [['mqtt://127.0.0.1'], /--topic/],
  [['mqtt://127.0.0.1', '--topic', 'a', '--mapping', '/nowhere.json'], /\/nowhere\.json: ENOENT/],
  [['mqtt://127.0.0.1', '--topic', 'a', '--queue'], /--queue needs REDIS_URL/],
])('%j is used wrongly', async (args, message) => {
  const { code, stderr } = await cooler().run(['bridge', ...args])
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
})
