import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { bridging, counted, ended, mappingOption, RECEIVED_COUNTS, visitorsOf } from './bridge-fixture.ts'
import { type Cooler, cooler } from './cooler.ts'
import { mosquitto } from './mosquitto.ts'

/** What the journal of the only session has. */
function journalOf({ store }: Cooler): string {
  const [name] = readdirSync(`${store}-bridge`).filter((file) => file.endsWith('.journal'))
  return readFileSync(join(`${store}-bridge`, name), 'utf8')
}

const BACKLOG = 1500
/** A broker with a backlog saves all of it with each change: on a busy machine it takes its time. */
const DRAIN_MS = 150_000

const count = (n: number): string => JSON.stringify({ n })

test('equal records of one message, and equal messages in a row, count each', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  await bridging(program, [broker.url, '--topic', 'shop/+', ...mappingOption(program, RECEIVED_COUNTS)])
  await broker.publish('shop/a', JSON.stringify([1, 1, 1, 2].map((n) => ({ n }))))
  await broker.publish('shop/b', ...Array.from({ length: 50 }, () => count(1)))
  await eventually(() => counted(program)).toEqual({ landed: 54, rejected: 0 })
  expect([await visitorsOf(program, 'a'), await visitorsOf(program, 'b')]).toEqual([5, 50])
})

test('retained messages are left out, or with --retained taken once, however often the bridge starts', async () => {
  const [broker, program, taker] = [await mosquitto(), cooler(), cooler()]
  const args = [broker.url, '--topic', 'shop/+', ...mappingOption(program, RECEIVED_COUNTS)]
  const taking = [...args, '--client-id', 'taker', '--retained']
  await broker.retain('shop/a', count(7))
  for (const round of [1, 2]) {
    const [running, other] = [await bridging(program, args), await bridging(taker, taking)]
    await broker.publish('shop/b', count(1))
    for (const one of [program, taker]) await eventually(() => visitorsOf(one, 'b')).toBe(round)
    await Promise.all([ended(running), ended(other)])
  }
  expect([await visitorsOf(program, 'a'), await visitorsOf(taker, 'a')]).toEqual([0, 7])
  expect(await counted(taker)).toEqual({ landed: 3, rejected: 0 })
})

test('filters that overlap, wholly or in part, count a message once, also across a kill between its copies', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const topics = ['shop/+/in', 'shop/a/#', 'shop/a/in', 'shop/+/in'].flatMap((filter) => ['--topic', filter])
  const args = [broker.url, ...topics, ...mappingOption(program, RECEIVED_COUNTS)]
  const running = await bridging(program, args)
  await broker.publish('shop/a/in', count(1), count(1), count(3))
  await eventually(() => visitorsOf(program, 'a')).toBe(5)
  await ended(running, 'SIGKILL')
  await broker.publish('shop/a/in', count(1), count(1))
  await broker.publish('shop/a/out', count(10))
  await bridging(program, args)
  await broker.publish('shop/b/in', count(1))
  await eventually(() => visitorsOf(program, 'b')).toBe(1)
  expect(await visitorsOf(program, 'a')).toBe(17)
})

describe('a message that comes again has the time at which it came first', () => {
  test('after a kill of the bridge with the message in hand', async () => {
    const [broker, program] = [await mosquitto(), cooler()]
    const args = [broker.url, '--topic', 'shop/+', ...mappingOption(program, RECEIVED_COUNTS)]
    const running = await bridging(program, args)
    await broker.publish('shop/a', count(1))
    await eventually(() => visitorsOf(program, 'a')).toBe(1)
    const other = new Database(program.store)
    other.exec('BEGIN IMMEDIATE')
    await broker.publish('shop/a', count(1), count(1))
    await eventually(() => journalOf(program)).toMatch(/"message":1/)
    await ended(running, 'SIGKILL')
    other.exec('ROLLBACK')
    other.close()
    const killedAt = Date.now()
    await bridging(program, args)
    await eventually(() => visitorsOf(program, 'a')).toBe(3)
    const instants = (await program.json('events', 'a')).map(({ at }) => Date.parse(at as string))
    expect(instants.filter((at) => at > killedAt)).toHaveLength(1) // The last one was not in hand.
  })

  // Mosquitto 2.0.11 sends such a backlog at once after its restart, and the whole of it again after the next one.
  test('where the broker restarts with thousands of messages on their way, and dies without their acknowledgements', async () => {
    const [broker, program] = [await mosquitto(), cooler()]
    const topics = ['--topic', 'shop/+', '--topic', '+/a']
    const args = [broker.url, ...topics, ...mappingOption(program, RECEIVED_COUNTS)]
    await ended(await bridging(program, args))
    await broker.publish('shop/a', ...Array.from({ length: BACKLOG }, () => count(1)))
    program.spawn(['bridge', ...args])
    const takes = async (more: number) => {
      const { landed } = await counted(program)
      await eventually(async () => (await counted(program)).landed).toBeGreaterThan(landed + more)
    }
    await takes(100)
    await broker.kill()
    await broker.restart()
    await takes(200)
    broker.stop() // It reads no acknowledgement from now on.
    await takes(600)
    await broker.kill('SIGKILL')
    await broker.restart()
    await broker.publish('shop/b', count(1))
    await expect.poll(() => visitorsOf(program, 'b'), { timeout: DRAIN_MS, interval: 200 }).toBe(1)
    expect(await visitorsOf(program, 'a')).toBe(BACKLOG)
  }, 180_000)

  test('where the acknowledgement was lost', async () => {
    const [broker, program] = [await mosquitto(), cooler()]
    const args = [broker.url, '--topic', 'shop/+', ...mappingOption(program, RECEIVED_COUNTS)]
    await bridging(program, args)
    for (let round = 1; round <= 3; round++) {
      await broker.publish('shop/a', count(1), count(1), count(1))
      await eventually(() => visitorsOf(program, 'a')).toBe(round * 3)
      // What the broker has not saved of the acknowledgements is gone.
      await broker.kill('SIGKILL')
      await broker.restart()
    }
    await eventually(async () => {
      await broker.publish('shop/b', count(1))
      return visitorsOf(program, 'b')
    }).toBeGreaterThan(0)
    expect(await visitorsOf(program, 'a')).toBe(9)
  })
})

test.each([
  ['visitor', { count: 'n' }],
  ['door', { count: { value: 1 } }],
])(
  'a %s count that has neither a time nor a seq of its own is taken only where the mapping accepts it',
  async (type, fields) => {
    const program = cooler()
    const mapping = { ...RECEIVED_COUNTS, repeatsMayCount: false, events: [{ type, ...fields }] }
    const args = ['bridge', 'mqtt://127.0.0.1', '--topic', 'a', ...mappingOption(program, mapping)]
    const { code, stderr } = await program.run(args)
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/counts again when its sender repeats it.*repeatsMayCount/),
    ])
  },
)
