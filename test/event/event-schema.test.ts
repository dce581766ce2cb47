import { readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { BATCH_SCHEMA, EVENT_SCHEMA, renderBatchSchema } from '../../src/event/event-schema.ts'
import { KINDS } from '../../src/event/fields.ts'
import { MAX_BATCH_EVENTS } from '../../src/event/telemetry-event.ts'
import { BOUNDS } from '../reference/bounds.ts'

// Not `strictRequired`: an alternative requires properties that its parent describes.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
const isBatch = ajv.compile(BATCH_SCHEMA)
const isEvent = ajv.compile(EVENT_SCHEMA)

const event = (fields: object): object => ({ deviceId: 'a', at: 1_764_547_200_000, ...fields })

test('the kinds of columns stand in the order of their numbers, by which they are looked up', () => {
  expect(Object.values(KINDS).map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('the schema in the schema folder is the one that the code renders', () => {
  const file = new URL('../../schema/telemetry-batch.schema.json', import.meta.url)
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, renderBatchSchema())
  const how = 'UPDATE_SNAPSHOTS=1 npm test -- test/event/event-schema.test.ts writes it'
  expect(readFileSync(file, 'utf8'), how).toBe(renderBatchSchema())
})

test.each([
  ['no object', 7],
  ['no type', event({})],
  ['an unknown type', event({ type: 'humidity', value: 1 })],
  ['no deviceId', { at: 1, type: 'power', on: true }],
  ['an empty deviceId', event({ deviceId: '', type: 'power', on: true })],
  ['a deviceId that is too long', event({ deviceId: 'x'.repeat(BOUNDS.deviceIdUnits + 1), type: 'power', on: true })],
  ['a numeric deviceId', event({ deviceId: 7, type: 'power', on: true })],
  ['a fractional at', event({ at: 1.5, type: 'power', on: true })],
  ['a negative seq', event({ seq: -1, type: 'power', on: true })],
  ['a seq beyond 2^53-1', event({ seq: 2 ** 53, type: 'power', on: true })],
  ['a null seq', event({ seq: null, type: 'power', on: true })],
  ['a door with neither', event({ type: 'door' })],
  ['a door with both', event({ type: 'door', open: true, count: 1 })],
  ['a door count of 0', event({ type: 'door', count: 0 })],
  ['a fractional door count', event({ type: 'door', count: 1.5 })],
  ['a temperature with neither', event({ type: 'temperature' })],
  ['a temperature as text', event({ type: 'temperature', celsius: '4' })],
  ['a temperature out of range', event({ type: 'temperature', setpoint: BOUNDS.celsius.max + 0.1 })],
  ['power without on', event({ type: 'power' })],
  ['power as a number', event({ type: 'power', on: 1 })],
  ['a fix without lon', event({ type: 'gps', lat: 1 })],
  ['a fix out of range', event({ type: 'gps', lat: 1, lon: 180.5 })],
  ['a negative accuracy', event({ type: 'gps', lat: 1, lon: 1, accuracy: -1 })],
  ['a visitor with both', event({ type: 'visitor', count: 1, total: 1 })],
  ['a visitor count out of range', event({ type: 'visitor', count: BOUNDS.visitorCount.max + 1 })],
  ['a long address', event({ type: 'gps', lat: 1, lon: 1, address: 'x'.repeat(BOUNDS.addressUnits + 1) })],
])('%s is no event', (_, value) => {
  expect(isEvent(value)).toBe(false)
  expect(isBatch({ events: [value] })).toBe(false)
})

test.each([
  event({ type: 'door', open: false }),
  event({ type: 'door', count: BOUNDS.doorCount.max, seq: BOUNDS.safeInteger }),
  event({ type: 'temperature', celsius: BOUNDS.celsius.min }),
  event({ type: 'temperature', celsius: 4.25, setpoint: 3, at: '2026-03-29T02:30:00.123+02:00' }),
  event({ type: 'power', on: true, deviceId: '__proto__', firmware: { any: ['thing', null] } }),
  event({ type: 'gps', lat: -90, lon: 180, accuracy: 3, address: null }),
  event({ type: 'visitor', count: 0 }),
  event({ type: 'visitor', total: BOUNDS.safeInteger }),
  event({ type: 'placement', lat: 1, lon: 2, timezone: 'Europe/Berlin', address: 'Hauptstraße 1' }),
])('%j is an event', (value) => {
  expect(isEvent(value), ajv.errorsText(isEvent.errors)).toBe(true)
  expect(isBatch({ events: [value], sender: 'any' })).toBe(true)
})

test('a batch is an object with at most as many events as the contract says', () => {
  const power = event({ type: 'power', on: true })
  expect(isBatch([power])).toBe(false)
  expect(isBatch({})).toBe(false)
  expect(isBatch({ events: new Array(MAX_BATCH_EVENTS).fill(power) })).toBe(true)
  expect(isBatch({ events: new Array(MAX_BATCH_EVENTS + 1).fill(power) })).toBe(false)
})
