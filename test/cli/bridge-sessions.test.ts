import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { manyVisitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { bridging, counted, ended } from './bridge-fixture.ts'
import { cooler } from './cooler.ts'
import { countDevices } from './in-process.ts'
import { type Broker, mosquitto } from './mosquitto.ts'

const messages = (count: number, prefix: string): string[] =>
  manyVisitors(count, prefix).map((event) => JSON.stringify(event))

test('two installations on one broker get every message each, two bridges of one group share them', async () => {
  const [broker, alone, first, second] = [await mosquitto(), cooler(), cooler(), cooler()]
  const args = [broker.url, '--topic', 'events']
  await bridging(alone, [...args, '--client-id', 'alone', '--connections', '2'])
  await bridging(first, [...args, '--client-id', 'first', '--share-group', 'both'])
  await bridging(second, [...args, '--client-id', 'second', '--share-group', 'both'])
  await broker.publish('events', ...messages(60, 'shared-'))
  await eventually(() => counted(alone)).toMatchObject({ landed: 60 })
  await eventually(async () => (await countDevices(first)) + (await countDevices(second))).toBe(60)
  expect(await countDevices(first)).toBeGreaterThan(0)
  expect(await countDevices(second)).toBeGreaterThan(0)
})

test('topics that are no longer asked for are no longer sent, also where they were shared before', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  await ended(await bridging(program, [broker.url, '--topic', 'old', '--topic', 'kept', '--share-group', 'g']))
  const running = await bridging(program, [broker.url, '--topic', 'kept', '--topic', 'new'])
  await eventually(() => running.stderr()).toMatch(/bridge takes these topics no longer/)
  await broker.publish('old', ...messages(1, 'old-'))
  await broker.publish('kept', ...messages(1, 'kept-'))
  await broker.publish('new', ...messages(1, 'new-'))
  await eventually(() => countDevices(program)).toBe(2)
  expect(await counted(program)).toEqual({ landed: 2, rejected: 0 })
})

test('with fewer connections the sessions of the others are emptied and ended', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const args = [broker.url, '--topic', 'events', '--connections']
  const running = await bridging(program, [...args, '3'])
  await eventually(() => running.stderr().match(/bridge takes messages/g)?.length).toBe(3)
  await ended(running)
  await broker.publish('events', ...messages(100, 'away-'))
  const smaller = await bridging(program, [...args, '2'])
  await eventually(() => smaller.stderr()).toMatch(
    /"clientId":"cooler-bridge-2".*a session that is no longer used has ended/,
  )
  await broker.publish('events', ...messages(50, 'later-'))
  await eventually(() => countDevices(program)).toBe(150)
  await ended(smaller)
  const again = await bridging(program, [...args, '2'])
  await broker.publish('events', ...messages(1, 'last-'))
  await eventually(() => countDevices(program)).toBe(151)
  expect(again.stderr()).not.toMatch(/no longer used/)
})

/** A way to a broker that reports why it ends a connection, as some brokers do by themselves. */
async function reporting({ url }: Broker): Promise<string> {
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1')
    client.pipe(server).on('error', () => client.destroy())
    server.on('data', (bytes) => client.write(bytes))
    server.on('close', () => client.end(Buffer.from([0xe0, 0x02, 0x8e, 0x00])))
    client.on('error', () => server.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await once(proxy, 'listening')
  return `mqtt://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

test('a session that another client takes over is told of, and taken back ever more slowly', async () => {
  const [broker, one, other] = [await mosquitto(), cooler(), cooler()]
  const args = ['--topic', 'events']
  const running = await bridging(one, [await reporting(broker), ...args])
  const unreported = await bridging(other, [broker.url, ...args])
  const advice = 'give each bridge a --client-id of its own'
  await eventually(() => running.stderr()).toMatch(
    new RegExp(`"pauseMs":2000[^\\n]*another client has taken over this session: ${advice}`),
  )
  await eventually(() => unreported.stderr()).toMatch(/perhaps another client has this client id/)
})

test('the password comes from a file or the environment, and is in no log', async () => {
  const [program, secret] = [cooler(), 'pa:ss w%rd']
  const file = join(dirname(program.store), 'users')
  execFileSync('mosquitto_passwd', ['-b', '-c', file, 'fleet', secret], { stdio: 'ignore' })
  const broker = await mosquitto(['allow_anonymous false', `password_file ${file}`])
  const args = [broker.url, '--topic', 'events']
  const passwordFile = join(dirname(program.store), 'password')
  writeFileSync(passwordFile, `${secret}\n`)
  const user = { COOLER_MQTT_USERNAME: 'fleet' }
  const withUser = broker.url.replace('//', '//fleet@')
  const inUrl = broker.url.replace('//', `//fleet:${encodeURIComponent(secret)}@`)
  for (const [own, env] of [
    [[withUser, '--topic', 'events', '--password-file', passwordFile], {}],
    [args, { ...user, COOLER_MQTT_PASSWORD: secret }],
    [[inUrl, '--topic', 'events'], {}],
  ] as const) {
    const { stderr } = await ended(await bridging(program, own, env))
    expect(stderr).not.toContain(secret)
  }
  const refused = program.spawn(['bridge', ...args], { ...user, COOLER_MQTT_PASSWORD: 'wrong one' })
  await eventually(() => refused.stderr()).toMatch(/the broker cannot be reached: trying again/)
  expect((await ended(refused)).stderr).not.toContain('wrong one')
})

test.each([
  [['mqtt://u:secret%@127.0.0.1', '--topic', 'a'], /percent-encoded/],
  [['mqtt://127.0.0.1', '--topic', 'a', '--password-file', '/nowhere'], /--password-file \/nowhere: ENOENT/],
  [['mqtt://127.0.0.1', '--topic', 'a/#/b'], /not a topic filter/],
  [['mqtt://127.0.0.1', '--topic', '$share/g/a'], /use --share-group/],
  [['mqtt://127.0.0.1', '--topic', 'a', '--share-group', 'a/b'], /share group "a\/b" must not/],
  [['mqtt://127.0.0.1', '--topic', 'a', '--connections', '2', '--retained'], /--retained needs one connection/],
])('%j is used wrongly', async (args, message) => {
  const { code, stderr } = await cooler().run(['bridge', ...args])
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  expect(stderr).not.toContain('secret')
})
