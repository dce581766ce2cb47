import fc from 'fast-check'
import { connectAsync } from 'mqtt'
import { expect, onTestFinished, test } from 'vitest'
import { parsedOrUndefined } from '../../src/ingest/read-batch.ts'
import { bridging, counted, ended, mappingOption, visitorsOf } from '../cli/bridge-fixture.ts'
import { cooler } from '../cli/cooler.ts'
import { mosquitto } from '../cli/mosquitto.ts'
import { eventually } from '../helpers/eventually.ts'
import { type Damage, damaged, damages } from './damage.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, runsOf, tellRuns } from './fuzz-runs.ts'
import { editedObject, expand, jsonText, type Members } from './json-text.ts'

/** Messages of one input: good ones go before, between and after them. */
const MESSAGES = 20

interface Message {
  topic: string
  text: string
  damages: readonly Damage[]
  retain: boolean
  qos: 0 | 1 | 2
}

const MEMBERS: Members = [
  ['n', '1'],
  ['door', '"open"'],
  ['t', '{"c":3.5}'],
  ['at', '"2025-06-01T12:00:00Z"'],
  ['type', '"power"'],
]
const object = editedObject(fc.constant(MEMBERS))

const message: fc.Arbitrary<Message> = fc.record({
  topic: fc
    .constantFrom('a', '', '/x/', '__proto__', '\u{1F9CA}', 'deviceId', 'l/'.repeat(150))
    .map((end) => `odd/${end}`),
  text: fc.oneof(
    object,
    fc.array(object, { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
    jsonText,
    fc.constantFrom('', 'ON', '<deep 20000>', '{"n":<deep 20000>}', '{"door":{"toString":1}}', '<x 3000000>'),
  ),
  damages,
  retain: fc.boolean(),
  qos: fc.constantFrom<Message['qos'][]>(0, 1, 2),
})

const payloadOf = ({ text, damages: all }: Message): Buffer => damaged(Buffer.from(expand(text)), all)

/** How many events and rejects a message must become: fewest and most. */
function fateOf(payload: Buffer): [fewest: number, most: number] {
  if (payload.length === 0) return [0, 0]
  const value = parsedOrUndefined(payload.toString('utf8'))
  if (Array.isArray(value)) return [Math.min(1, value.length), value.length]
  return value === undefined ? [1, payload.filter((byte) => byte === 0x2c).length + 1] : [1, 1]
}

const MAPPING = {
  deviceId: { topic: 1 },
  at: { received: true },
  repeatsMayCount: true,
  events: [
    { type: 'visitor', count: 'n' },
    { type: 'door', open: 'door' },
    { type: 'temperature', celsius: 't.c', setpoint: '$' },
    { type: 'gps', lat: 'n', lon: 't.c', address: 'door' },
  ],
}

test(
  'whatever messages come, and however often the bridge is killed, good ones around them count once each',
  async () => {
    const startedAt = performance.now()
    const [broker, plain, mapped] = [await mosquitto(), cooler(), cooler()]
    const topics = ['good/#', '+/x', 'odd/#'].flatMap((filter) => ['--topic', filter])
    const args = [broker.url, ...topics, '--client-id', 'mapped', ...mappingOption(mapped, MAPPING)]
    const plainBridge = await bridging(plain, [broker.url, '--topic', 'odd/#', '--topic', 'end'])
    let mappedBridge = await bridging(mapped, args)
    const publisher = await connectAsync(broker.url, { protocolVersion: 5 })
    onTestFinished(() => publisher.endAsync(true))
    let [good, inputs, fewest, most] = [0, 0, 0, 0]
    const sendGood = async (): Promise<void> => {
      good++
      await publisher.publishAsync('good/x', '{"n":1}', { qos: 1 })
    }
    const batch = fc.array(message, { minLength: MESSAGES, maxLength: MESSAGES })
    await fc.assert(
      fc.asyncProperty(batch, fc.nat(3 * MESSAGES), async (messages, killedAfter) => {
        for (const [index, one] of messages.entries()) {
          const payload = payloadOf(one)
          const { topic, qos, retain } = one
          await publisher.publishAsync(topic, payload, {
            qos,
            retain,
            properties: { userProperties: { ['__proto__']: 'x' } },
          })
          const fate = fateOf(payload)
          fewest += fate[0]
          most += fate[1]
          if (index % 5 === 0) await sendGood()
          if (index !== killedAfter) continue
          await ended(mappedBridge, 'SIGKILL')
          mappedBridge = await bridging(mapped, args)
        }
        await sendGood()
        await publisher.publishAsync(
          'end',
          JSON.stringify({ deviceId: `end-${inputs++}`, at: Date.now(), type: 'power', on: true }),
          { qos: 1 },
        )
        await eventually(() => visitorsOf(mapped, 'x')).toBe(good)
        await eventually(async () => (await plain.run(['events', `end-${inputs - 1}`])).code).toBe(0)
        const { landed, rejected } = await counted(plain)
        expect(landed + rejected - inputs).toBeGreaterThanOrEqual(fewest)
        expect(landed + rejected - inputs).toBeLessThanOrEqual(most)
      }),
      { ...fuzzed('messages'), numRuns: Math.ceil(runsOf('messages') / MESSAGES) },
    )
    expect((await counted(mapped)).rejected).toBeGreaterThan(0)
    for (const bridge of [plainBridge, mappedBridge]) expect((await ended(bridge)).code).toBe(0)
    tellRuns('messages', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
