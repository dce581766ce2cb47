import { expect, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { bridging, counted, mappingOption } from './bridge-fixture.ts'
import { cooler } from './cooler.ts'
import { mosquitto } from './mosquitto.ts'

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('with a mapping no message keeps it from the next one, and each is an event or a reject', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const mapping = {
    deviceId: { topic: 1 },
    at: { from: 'ts' },
    events: [
      { type: 'door', open: 'door' },
      { type: 'temperature', celsius: 'temp' },
      { type: 'gps', lat: 'lat', lon: 'lon', address: 'place.name' },
    ],
  }
  const running = await bridging(program, [broker.url, '--topic', '+/+', ...mappingOption(program, mapping)])
  const ts = '"ts":"2025-06-01T12:00:00Z"'
  const bad = [
    '{"door":{"toString":1}}',
    '{"door":{"__proto__":{"toString":1},"valueOf":2}}',
    `{${ts},"temp":${deep(30_000)}}`,
    `{${ts},"temp":"${'1'.repeat(1_000_000)}x"}`,
    `{${ts},"door":"${'o'.repeat(3_000_000)}"}`,
    `{${ts},"temp":1e999}`,
    `{${ts},"temp":"\\u0000"}`,
    `{${ts},"lat":1,"lon":2,"place":{"name":"\\ud800${'x'.repeat(600)}"}}`,
    deep(30_000),
    'ON',
    'null',
    '7',
    '\0',
    Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
    Buffer.alloc(5 * 1024 * 1024, 'binary\xff', 'latin1'),
    Buffer.alloc(33 * 1024 * 1024, '['),
    `{${ts},"temp":3,"more":"${'x'.repeat(5_000_000)}"}`,
  ]
  const good = [
    `{${ts},"temp":3,"__proto__":{"temp":4},"more":${deep(30_000)}}`,
    `{${ts},"temp":4,"more":"${'x'.repeat(3_000_000)}"}`,
    `\ufeff{${ts},"temp":5}`,
  ]
  await broker.publish('shop/a', '', ...bad, '{"battery":1}', ...good)
  await broker.publish('/', ...good)
  await broker.publish('shop/\ud83e\uddca', good[2])
  await eventually(() => counted(program)).toEqual({ landed: good.length + 1, rejected: bad.length + good.length })
  expect(running.stderr()).toMatch(/the mapping makes no event of a message/)
})

test('an array of any length lands record by record, in bounded memory', async () => {
  const [broker, program] = [await mosquitto(), cooler({ NODE_OPTIONS: '--max-old-space-size=160' })]
  await bridging(program, [broker.url, '--topic', 'events'])
  const records = Array.from({ length: 100_000 }, (_, number) => ({
    ...visitors('many', 1),
    seq: number,
    pad: 'x'.repeat(150),
  }))
  await broker.publish('events', JSON.stringify(records), `[${JSON.stringify(visitors('b', 1), null, 2)}, {"cut": ]`)
  await broker.publish('events', `[${deep(3_000_000)}, ${JSON.stringify(visitors('c', 1))} ]`, '[1,]', '[]', '[[]')
  await eventually(() => counted(program)).toEqual({ landed: 100_001, rejected: 4 })
})

test('plain text is mapped as the whole of a message', async () => {
  const [broker, program] = [await mosquitto(), cooler()]
  const mapping = {
    deviceId: { topic: 0 },
    at: { received: true },
    events: [
      { type: 'door', open: '$', when: { from: '$', equals: 'open' } },
      { type: 'power', on: '$', when: { from: '$', equals: 'ON' } },
      { type: 'temperature', celsius: '$' },
    ],
  }
  await bridging(program, [broker.url, '--topic', '#', ...mappingOption(program, { ...mapping, decimalComma: true })])
  await broker.publish('a', '23.5', ' 023,5\n', 'ON', 'open')
  // Of each text that is not a number the temperature is rejected.
  await eventually(() => counted(program)).toEqual({ landed: 4, rejected: 2 })
  const events = await program.json('events', 'a')
  expect(events.map(({ celsius, on, open }) => celsius ?? on ?? open)).toEqual([23.5, 23.5, true, true])
})
