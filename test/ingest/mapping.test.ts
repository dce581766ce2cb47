import { expect, test } from 'vitest'
import { eventsOfRecord } from '../../src/ingest/apply-mapping.ts'
import { readMapping } from '../../src/ingest/mapping.ts'
import { parseWallClock } from '../../src/time.ts'

const RECEIVED_AT = Date.parse('2025-06-01T12:00:00Z')

/** The events of a record by a mapping, without what all of them have. */
function made(mapping: object, value: unknown, topic: readonly string[] = []): unknown[] {
  const whole = { deviceId: { value: 'a' }, at: { received: true }, ...mapping }
  const events = eventsOfRecord(readMapping(JSON.stringify(whole)), { value, topic, receivedAt: RECEIVED_AT })
  for (const { deviceId, at } of events) expect([deviceId, at]).toEqual(['a', RECEIVED_AT])
  return events.map(({ deviceId: _id, at: _at, ...event }) => event)
}

const temperature = (celsius: object | string) => ({ events: [{ type: 'temperature', celsius }] })

test.each([
  [{ from: 't', unit: 'fahrenheit' }, { t: 212 }, 100],
  [{ from: 't', unit: 'kelvin' }, { t: '273.15' }, 0],
  [{ from: 't', scale: 0.1 }, { t: 35 }, 3.5],
  [{ from: 't', scale: 2, offset: -40 }, { t: '+1.5e1' }, -10],
  ['a.b', { a: { b: 4 } }, 4],
  ['a.b', { 'a.b': 5, a: { b: 4 } }, 5],
  ['$', '6', 6],
  ['t', { t: '3,5' }, '3,5'],
  ['t', { t: ' ' }, ' '],
  ['t', { t: true }, true],
])('%j of %j is %j', (source, value, celsius) => {
  expect(made(temperature(source), value)).toEqual([{ type: 'temperature', celsius }])
})

test('a number with a comma is one where the mapping says so', () => {
  expect(made({ ...temperature('t'), decimalComma: true }, { t: '-3,5' })).toEqual([
    { type: 'temperature', celsius: -3.5 },
  ])
})

test.each([[{ t: null }], [{ t: '' }], [{}], [7], [null], [[]]])('of %j no event is made', (value) => {
  expect(made(temperature('t'), value)).toEqual([])
})

test('only what has the member that `when` asks for becomes an event', () => {
  const mapping = {
    events: [
      { type: 'power', when: { from: 'kind', equals: 'P' }, on: 'v' },
      { type: 'visitor', when: { from: 'kind', equals: 'V' }, count: { value: 1 } },
    ],
  }
  expect(made(mapping, { kind: 'P', v: 'ON' })).toEqual([{ type: 'power', on: true }])
  expect(made(mapping, { kind: 'V' })).toEqual([{ type: 'visitor', count: 1 }])
  expect(made(mapping, { kind: 'X', v: 1 })).toEqual([])
})

test('the device, its counter and the instant come from the topic, a member or the clock', () => {
  const mapping = readMapping(
    '{"deviceId":{"topic":1},"seq":"n","at":{"from":"ts","format":"epoch-seconds"},"events":[{"type":"door","count":"c"}]}',
  )
  const record = { value: { ts: '1748779200.5', n: 7, c: 2 }, topic: ['fleet', '42'], receivedAt: RECEIVED_AT }
  expect(eventsOfRecord(mapping, record)).toEqual([
    { deviceId: '42', at: 1_748_779_200_500, seq: 7, type: 'door', count: 2 },
  ])
  const numbered = readMapping('{"deviceId":"id","at":"ts","events":[{"type":"door","count":"c"}]}')
  expect(eventsOfRecord(numbered, { ...record, value: { id: 42, c: 1 } })).toEqual([
    { deviceId: '42', at: undefined, type: 'door', count: 1 },
  ])
})

test('a clock is read in its zone: of a time that comes twice the first, of one that is skipped the next', () => {
  const at = (text: string) => {
    const mapping = readMapping(
      '{"deviceId":"d","at":{"from":"t","format":"local","timezone":"Europe/Berlin"},"events":[{"type":"door","count":"c"}]}',
    )
    const [event] = eventsOfRecord(mapping, { value: { t: text, c: 1 }, receivedAt: 0 })
    return typeof event.at === 'number' ? new Date(event.at).toISOString() : event.at
  }
  expect(at('2025-06-01 14:00:00.25')).toBe('2025-06-01T12:00:00.250Z')
  expect(at('2025-10-26 02:30')).toBe('2025-10-26T00:30:00.000Z')
  expect(at('2025-03-30T02:30')).toBe('2025-03-30T01:00:00.000Z')
  expect(at('1.6.2025 14:00')).toBe('1.6.2025 14:00')
})

test.each(['2025-02-29 00:00', '2025-06-01 24:00', '2025-06-01 12:60', '2025-06-01', '2025-06-01 12:00Z', ''])(
  '%j is no reading of a clock',
  (text) => {
    expect(parseWallClock(text)).toBe(null)
  },
)

test.each([
  ['no JSON', '{', /no JSON/],
  ['no events', '{"deviceId":"a","at":"b","events":[]}', /events must be a list/],
  ['an unknown field', '{"deviceId":"a","at":"b","events":[{"type":"power","un":"c"}]}', /has no "un"/],
  [
    'an unknown unit',
    '{"deviceId":"a","at":"b","events":[{"type":"gps","lat":{"from":"c","unit":"mile"}}]}',
    /unit must/,
  ],
  ['an unknown zone', '{"deviceId":"a","at":{"from":"b","timezone":"Mars"},"events":[{"type":"power"}]}', /IANA/],
  ['something else', '{"deviceId":"a","at":"b","events":[{"type":"power"}],"skip":1}', /a mapping has no "skip"/],
])('a mapping with %s is refused', (_, text, message) => {
  expect(() => readMapping(text)).toThrow(message)
})
