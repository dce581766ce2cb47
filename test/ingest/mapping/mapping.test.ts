import { expect, test } from 'vitest'
import { parseWallClock } from '../../../src/base/time.ts'
import { eventsOfRecord } from '../../../src/ingest/mapping/apply-mapping.ts'
import { readMapping } from '../../../src/ingest/mapping/mapping.ts'

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
  [{ from: 't', scale: 0.1 }, { t: 70 }, 7],
  [{ from: 't', scale: 0.1, unit: 'fahrenheit' }, { t: '392' }, 4],
  [{ from: 't', scale: 0.01, offset: 32, unit: 'fahrenheit' }, { t: -1800 }, -10],
  [{ from: 't', scale: 0.1, offset: 273.15, unit: 'kelvin' }, { t: 35 }, 3.5],
  [{ from: 't', unit: 'feet' }, { t: 10 }, 3.048],
  [{ from: 't', scale: 0.1 }, { t: '1e999999999' }, '1e999999999'],
  ['Temp.1', { Temp: '23.5' }, undefined],
  ['a.b', { a: { b: 4 } }, 4],
  ['a.b', { 'a.b': 5, a: { b: 4 } }, 5],
  ['$', '6', 6],
  ['t', { t: '3,5' }, '3,5'],
  ['t', { t: ' ' }, ' '],
  ['t', { t: true }, true],
])('%j of %j is %j', (source, value, celsius) => {
  expect(made(temperature(source), value)).toEqual(celsius === undefined ? [] : [{ type: 'temperature', celsius }])
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

test.each([
  [{ equals: 1 }, '1', true],
  [{ equals: '1' }, 1, true],
  [{ equals: true }, 'true', true],
  [{ equals: 'P' }, ' P ', true],
  [{ equals: 1 }, '1.0', false],
  [{ equals: 'P' }, { toString: 1 }, false],
  [{ equals: '' }, null, true],
  [{ notEquals: '' }, '', false],
  [{ notEquals: 'P' }, undefined, true],
  [{ notEquals: 'P' }, 'P', false],
  [{ above: -100 }, '-99,5', true],
  [{ above: 3 }, 3, false],
  [{ above: 3 }, 'unavailable', false],
  [{ above: 3, below: 4 }, '3,5', true],
  [{ above: 3, below: 4 }, '4', false],
  [{ notEquals: '4', above: 3 }, '4', false],
])('%j holds for %j: %s', (condition, kind, holds) => {
  const when = { from: 'kind', ...condition }
  const mapping = { decimalComma: true, events: [{ type: 'door', when, count: { value: 1 } }] }
  expect(made(mapping, { kind })).toHaveLength(holds ? 1 : 0)
  expect(made({ ...mapping, events: [{ ...mapping.events[0], when: [when, when] }] }, { kind })).toHaveLength(
    holds ? 1 : 0,
  )
})

test('the uplink of a LoRaWAN network is mapped by the paths of its members', () => {
  const value = {
    end_device_ids: { device_id: 'cooler-7' },
    received_at: '2026-11-20T08:59:45.869225403Z',
    uplink_message: { f_cnt: 23787, decoded_payload: { temperature: 39.2, door: 'open' } },
  }
  const mapping = readMapping(
    JSON.stringify({
      deviceId: 'end_device_ids.device_id',
      at: 'received_at',
      seq: 'uplink_message.f_cnt',
      events: [
        { type: 'temperature', celsius: { from: 'uplink_message.decoded_payload.temperature', unit: 'fahrenheit' } },
        { type: 'door', open: 'uplink_message.decoded_payload.door' },
      ],
    }),
  )
  const head = { deviceId: 'cooler-7', at: value.received_at, seq: 23787 }
  expect(eventsOfRecord(mapping, { value, receivedAt: 0 })).toEqual([
    { ...head, type: 'temperature', celsius: 4 },
    { ...head, type: 'door', open: true },
  ])
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

test('an instant may come from several columns, joined by a blank', () => {
  const at = { from: ['date', 'time'], pattern: 'dd.MM.yyyy HH:mm' }
  const mapping = readMapping(JSON.stringify({ deviceId: 'd', at, events: [{ type: 'door', count: 'c' }] }))
  const instant = (value: object) => eventsOfRecord(mapping, { value: { c: 1, ...value }, receivedAt: 0 })[0].at
  expect(instant({ date: '20.11.2026', time: ' 08:00' })).toBe(Date.UTC(2026, 10, 20, 8))
  expect(instant({ date: '20.11.2026' })).toBe('20.11.2026')
  expect(instant({})).toBe(undefined)
})

test('rows without a time of their own are told apart by their number, unless they have a `seq`', () => {
  const seqOf = (mapping: object) =>
    eventsOfRecord(
      readMapping(
        JSON.stringify({ deviceId: 'd', at: { received: true }, events: [{ type: 'door', count: 'c' }], ...mapping }),
      ),
      { value: { c: 1, n: 7 }, receivedAt: RECEIVED_AT, row: 3 },
    )[0].seq
  expect([seqOf({}), seqOf({ seq: 'n' })]).toEqual([3, 7])
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
  [
    'a `when` without a comparison',
    '{"deviceId":"a","at":"b","events":[{"type":"power","on":"c","when":{"from":"d"}}]}',
    /with equals, notEquals, above or below/,
  ],
  [
    'a bound that is no number',
    '{"deviceId":"a","at":"b","events":[{"type":"power","on":"c","when":{"from":"d","above":"1"}}]}',
    /above and below must be numbers/,
  ],
  ['an unknown zone', '{"deviceId":"a","at":{"from":"b","timezone":"Mars"},"events":[{"type":"power"}]}', /IANA/],
  ['something else', '{"deviceId":"a","at":"b","events":[{"type":"power"}],"skip":1}', /a mapping has no "skip"/],
])('a mapping with %s is refused', (_, text, message) => {
  expect(() => readMapping(text)).toThrow(message)
})
