import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import { expect, onTestFinished, test } from 'vitest'
import type { Channel } from '../../../src/notify/channel.ts'
import type { Outcome } from '../../../src/notify/sender.ts'
import { type MqttOptions, MqttSender } from '../../../src/notify/senders/mqtt.ts'
import { mosquitto } from '../../cli/mosquitto.ts'
import { eventually } from '../../helpers/eventually.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'
import { LINKS, sendingOf } from '../example-messages.ts'

const PASSWORD = 's3cret-password'
const NOBODY = { username: null, password: null }

const channel = (topic = 'coolers/alerts', qos?: number): Channel => ({
  type: 'mqtt',
  topic,
  ...(qos === undefined ? {} : { qos }),
})

function sender(url: string, more: Partial<Pick<MqttOptions, 'login' | 'limitMs'>> = {}): MqttSender {
  const made = new MqttSender({ url, login: NOBODY, links: LINKS, ...more })
  onTestFinished(() => made.close())
  return made
}

async function sent(one: MqttSender, to = channel()): Promise<Outcome> {
  const outcome = await one.send(to, sendingOf())
  expect(JSON.stringify(outcome)).not.toContain(PASSWORD)
  if (outcome.as !== 'sent') expect(outcome.error).toMatch(/^[^\n]{5,}$/)
  return outcome
}

interface Published {
  topic: string
  qos: number
  id: unknown
  payload: { type: string; data: { id: string } }
}

/** Subscribes to all that a broker has; returns what has come so far. */
async function subscribed(url: string): Promise<Published[]> {
  const client = await connectAsync(url, { protocolVersion: 5 })
  onTestFinished(() => client.endAsync(true))
  const published: Published[] = []
  client.on('message', (topic, payload, { qos, properties }) => {
    published.push({ topic, qos, id: properties?.userProperties?.id, payload: JSON.parse(`${payload}`) })
  })
  await client.subscribeAsync('#', { qos: 2 })
  return published
}

test('messages are published as JSON, with their id, by the quality that the channel asks for, on one connection', async () => {
  const { url } = await mosquitto()
  const published = await subscribed(url)
  const one = sender(url)
  const outcomes = await Promise.all([channel(), channel('a', 0), channel('b', 2)].map((to) => sent(one, to)))
  expect(outcomes).toEqual([{ as: 'sent' }, { as: 'sent' }, { as: 'sent' }])
  await eventually(() => published.length).toBe(3)
  const id = 'msg_abcdefghijklmnopqrstuvwxyz'
  for (const message of published)
    expect(message).toMatchObject({
      id,
      payload: { type: 'exceptions.digest', data: { id, subscription: 'route-12' } },
    })
  const qualities = Object.fromEntries(published.map(({ topic, qos }) => [topic, qos]))
  expect(qualities).toEqual({ 'coolers/alerts': 1, a: 0, b: 2 })
})

test('the login of the settings comes before that of the URL; a wrong one is a failure', async () => {
  const passwords = join(temporaryFolder(), 'passwords')
  writeFileSync(passwords, '')
  execFileSync('mosquitto_passwd', ['-b', passwords, 'fleet', PASSWORD], { stdio: 'ignore' })
  const { url } = await mosquitto(['allow_anonymous false', `password_file ${passwords}`])
  const withLogin = (user: string, password: string): string => url.replace('//', `//${user}:${password}@`)
  expect(await sent(sender(withLogin('fleet', PASSWORD)))).toEqual({ as: 'sent' })
  const login = { username: 'fleet', password: PASSWORD }
  expect(await sent(sender(withLogin('x', 'y'), { login }))).toEqual({ as: 'sent' })
  for (const wrong of [url, withLogin('other', PASSWORD)])
    expect(await sent(sender(wrong))).toMatchObject({ as: 'failed', error: expect.stringContaining('Not authorized') })
})

test('a topic that the broker does not allow is refused', async () => {
  const access = join(temporaryFolder(), 'access')
  writeFileSync(access, 'topic readwrite coolers/#\n')
  const { url } = await mosquitto(['allow_anonymous true', `acl_file ${access}`])
  const one = sender(url)
  expect(await sent(one, channel('other'))).toMatchObject({
    as: 'refused',
    error: expect.stringContaining('authorized'),
  })
  // Some brokers end the connection over it.
  await eventually(async () => (await sent(one)).as).toBe('sent')
})

test('a broker that is gone is a failure, and is connected to again when it is back', async () => {
  const broker = await mosquitto()
  const one = sender(broker.url)
  expect(await sent(one)).toEqual({ as: 'sent' })
  await broker.kill()
  await eventually(async () => (await sent(one)).as).toBe('failed')
  expect(await sent(one)).toMatchObject({ as: 'failed', error: expect.stringContaining('ECONNREFUSED') })
  await broker.restart()
  expect(await sent(one)).toEqual({ as: 'sent' })
})

test('a broker that does not answer is waited for within limits, and holds up no closing', async () => {
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void silent.close())
  const url = `mqtt://127.0.0.1:${(silent.address() as AddressInfo).port}`
  expect(await sent(sender(url, { limitMs: 300 }))).toEqual({ as: 'failed', error: 'no answer within 0.3 s' })
  const one = sender(url)
  const connected = once(silent, 'connection')
  const sending = one.send(channel(), sendingOf())
  const [socket] = await connected
  const ended = once(socket, 'close')
  await one.close()
  await ended
  expect(await sending).toEqual({ as: 'failed', error: 'stopped before it was sent' })
})
