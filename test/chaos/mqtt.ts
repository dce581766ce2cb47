import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import type { TelemetryEvent } from '../../src/enqueue/producer.ts'
import { RECEIVED_COUNTS } from '../cli/bridge-fixture.ts'
import { type Broker, mosquitto } from '../cli/mosquitto.ts'
import { isInstalled, MOSQUITTO } from '../helpers/install-package.ts'
import type { Random } from '../helpers/random.ts'
import { batchOf, count, type ProducerOptions, type Refusals } from './producers.ts'
import type { Supervised } from './supervisor.ts'

/** A broker with a bridge to one of the stores. */
export interface BridgedBroker {
  store: 'queue' | 'direct'
  broker: Broker
  bridge: Supervised
  /** Whether events have no time but that of their receipt. */
  isReceived: boolean
}

type Supervise = (name: string, args: readonly string[], env: NodeJS.ProcessEnv) => Supervised

/** Two of them, or none where there is no MQTT broker. */
export async function openBridges(
  folder: string,
  supervise: Supervise,
  env: Record<'queue' | 'direct', NodeJS.ProcessEnv>,
): Promise<BridgedBroker[]> {
  if (!isInstalled(MOSQUITTO)) return []
  const mapping = join(folder, 'mapping.json')
  writeFileSync(mapping, JSON.stringify({ ...RECEIVED_COUNTS, deviceId: 'deviceId' }))
  const [own, received] = [await mosquitto(), await mosquitto()]
  // The second filter of each makes copies.
  const topics = ['events/#', '+/now'].flatMap((filter) => ['--topic', filter])
  const bridge = (name: string, { url }: Broker, args: readonly string[], settings: NodeJS.ProcessEnv): Supervised =>
    supervise(name, ['bridge', url, ...topics, ...args], settings)
  return [
    {
      store: 'queue',
      broker: own,
      bridge: bridge('bridge to a queue', own, ['--queue'], env.queue),
      isReceived: false,
    },
    {
      store: 'direct',
      broker: received,
      bridge: bridge('bridge', received, ['--mapping', mapping], env.direct),
      isReceived: true,
    },
  ]
}

/**
 * Ends a broker and starts it again. Where events have a time of their own it is killed: then it sends again what it has
 * not saved the acknowledgement of, some of it as if it were new, which nobody can tell from new messages.
 */
export async function restartBroker({ broker, isReceived }: BridgedBroker, random: Random): Promise<void> {
  await broker.kill(isReceived ? 'SIGTERM' : 'SIGKILL')
  await sleep(random.between(0, 1500))
  await broker.restart()
}

/** Otherwise a connection that closes before the broker has answered would be waited for without end. */
const NO_RETRIES = false

const BAD = [
  () => `{"n":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  () => `{"door":{"toString":1},"more":"${'x'.repeat(3_000_000)}"}`,
  () => Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
  () => '',
  () => 'ON',
]

/**
 * Publishes events one by one, bad and retained messages among them; what the broker has saved is acknowledged. Resolves
 * to the number of these events.
 */
export async function mqttProducer(
  { broker, isReceived }: BridgedBroker,
  options: ProducerOptions,
  refusals: Refusals,
): Promise<number> {
  const { random, ledger, goesOn } = options
  let acknowledged = 0
  while (goesOn()) {
    if (sizeOf(broker) > MOST_BACKLOG_BYTES) {
      await sleep(100)
      continue
    }
    const events = batchOf(options, isReceived ? 1 : undefined)
    let client: MqttClient | undefined
    try {
      // What a lost connection leaves unanswered must not be sent again: nobody knows whether it came.
      client = await connectAsync(broker.url, { reconnectPeriod: 0, connectTimeout: 2000 }, NO_RETRIES)
      client.on('error', () => {})
      const closed = new Promise<never>((_, reject) => client?.once('close', () => reject(new Error('closed'))))
      // A broker that is killed before it has saved the last of them saves its state once it is back: without these.
      await Promise.race([closed, publishAll(client, random, events, isReceived).then(() => saved(broker))])
      ledger.acknowledge(events)
      acknowledged += events.length
    } catch {
      count(refusals, 'MQTT')
    } finally {
      client?.end(true)
    }
    await sleep(random.between(10, 100))
  }
  return acknowledged
}

async function publishAll(
  client: MqttClient,
  random: Random,
  events: readonly TelemetryEvent[],
  isReceived: boolean,
): Promise<void> {
  if (random.next() < 0.3) await publish(client, random.pick(BAD)(), random.next() < 0.3)
  for (const event of events) await publish(client, messageOf(event, isReceived))
}

const messageOf = (event: TelemetryEvent, isReceived: boolean): string =>
  JSON.stringify(isReceived ? { deviceId: event.deviceId, n: (event as { count: number }).count } : event)

async function publish(client: MqttClient, payload: string | Buffer, retain = false): Promise<void> {
  await client.publishAsync('events/now', payload, { qos: 1, retain })
}

/**
 * A broker that has more waiting for its bridge is sent nothing: it saves all of it with every change, and would take
 * minutes for a backlog of some bad messages of 3 MB once no fault is inflicted any more.
 */
const MOST_BACKLOG_BYTES = 16_000_000

const sizeOf = ({ database }: Broker): number => statSync(database, { throwIfNoEntry: false })?.size ?? 0

const SAVE_MS = 5000

/** Resolves when the broker has written its state since: it answers a publisher before that. */
async function saved({ database, save }: Broker): Promise<void> {
  const [from, until] = [Date.now(), Date.now() + SAVE_MS]
  while ((statSync(database, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= from) {
    if (Date.now() > until) throw new Error('the broker saves nothing')
    save()
    await sleep(20)
  }
}

/** Resolves when a bridge has taken all messages: the last one is of a device that its store then has. */
export async function drained({ broker }: BridgedBroker, api: string): Promise<void> {
  const deviceId = 'drained'
  const client = await connectAsync(broker.url)
  await publish(client, JSON.stringify({ deviceId, at: Date.now(), type: 'visitor', count: 0, n: 0 }))
  await client.endAsync()
  const until = Date.now() + DRAIN_MS
  while ((await fetch(`${api}/v1/devices/${deviceId}`).catch(() => null))?.status !== 200) {
    if (Date.now() > until) throw new Error('the bridge has not taken all messages')
    await sleep(100)
  }
}

const DRAIN_MS = 120_000
