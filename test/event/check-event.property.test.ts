import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkEvent } from '../../src/event/check-event.ts'
import { EventBatch } from '../../src/event/event-batch.ts'
import { ABSENT, Kind, NO_SEQ, totalOf } from '../../src/event/event-columns.ts'
import { EVENT_SCHEMA } from '../../src/event/event-schema.ts'
import { historyArbitrary, oddValueArbitrary } from '../reference/arbitraries.ts'
import { BOUNDS } from '../reference/bounds.ts'
import { checkEvent as referenceCheck } from '../reference/check-event.ts'
import type { KeptEvent } from '../reference/kept-event.ts'

const LANDED_AT = Date.UTC(2024, 4, 20)

const NOTHING = { on: null, open: null, count: null, total: null, celsius: null, setpoint: null, lat: null, lon: null }
const UNPLACED = { ...NOTHING, timezone: null, address: null }

/** What a column row says, as the fields of an event. */
function fieldsOf(kind: number, a: number, b: number): Partial<KeptEvent> {
  const reading = (value: number): number | null => (value === ABSENT ? null : value)
  switch (kind) {
    case Kind.doorState:
      return { type: 'door', open: a === 1 }
    case Kind.doorCount:
      return { type: 'door', count: a }
    case Kind.temperature:
      return { type: 'temperature', celsius: reading(a), setpoint: reading(b) }
    case Kind.power:
      return { type: 'power', on: a === 1 }
    case Kind.fix:
      return { type: 'gps', lat: a, lon: b }
    case Kind.visitorCount:
      return { type: 'visitor', count: a }
    default:
      return { type: 'visitor', total: totalOf(a, b) }
  }
}

/** -0 and 0 are the same seq, and the same degree. */
const seqOf = (seq: number): number | null => (seq === NO_SEQ ? null : seq + 0)

/** All that a batch keeps, in the form of the reference. */
function keptIn({ ids, count, device, at, kind, a, b, seq, addresses, placements }: EventBatch): unknown[] {
  const rows = Array.from({ length: count }, (_, row) => ({
    ...UNPLACED,
    deviceId: ids[device[row]],
    at: at[row],
    seq: seqOf(seq[row]),
    address: addresses.get(row) ?? null,
    ...fieldsOf(kind[row], a[row], b[row]),
  }))
  const places = placements.map(({ zone, lat, lon, ...placement }) => ({
    ...UNPLACED,
    ...placement,
    device: undefined,
    deviceId: ids[placement.device],
    seq: seqOf(placement.seq),
    type: 'placement',
    lat: lat + 0,
    lon: lon + 0,
    timezone: zone === '' ? null : zone,
  }))
  return [...rows, ...places]
}

function productCheck(value: unknown, landedAt: number, purgedBefore = 0): { reason: string } | { event: unknown } {
  const batch = new EventBatch()
  const reason = checkEvent(value, { landedAt, purgedBefore }, batch)
  const kept = keptIn(batch)
  if (reason === null) {
    expect(kept).toHaveLength(1)
    expect(batch.ids).toHaveLength(1)
    return { event: kept[0] }
  }
  // A rejected event leaves no trace, not even its device.
  expect([batch.ids.length, batch.addresses.size, kept.length]).toEqual([0, 0, 0])
  return { reason }
}

test('whatever is enqueued has the reason, or the kept values, that the plain reference gives it', () => {
  const met = new Set<string>()
  fc.assert(
    fc.property(oddValueArbitrary(LANDED_AT), (value) => {
      const checked = productCheck(value, LANDED_AT)
      met.add('reason' in checked ? checked.reason : 'good')
      expect(checked).toEqual(referenceCheck(value, LANDED_AT))
    }),
    { numRuns: 3000 },
  )
  // The values are odd enough to meet nearly all there is to meet.
  expect(met.size).toBeGreaterThan(10)
})

test('so has every event of a history', () => {
  fc.assert(
    fc.property(historyArbitrary(), ({ events, asOfMs }) => {
      for (const event of events) expect(productCheck(event, asOfMs)).toEqual(referenceCheck(event, asOfMs))
    }),
    { numRuns: 60 },
  )
})

test('raw events that are purged are told so, and placements are not, since they are kept apart for ever', () => {
  const at = fc.integer({ min: LANDED_AT - 1000, max: LANDED_AT + 1000 })
  const type = fc.constantFrom('power', 'humidity', 'placement')
  fc.assert(
    fc.property(at, at, type, (instant, purgedBefore, name) => {
      const event = { deviceId: 'a', at: instant, type: name, on: true, lat: 1, lon: 1 }
      const expected =
        name === 'placement' ? referenceCheck(event, LANDED_AT) : referenceCheck(event, LANDED_AT, purgedBefore)
      expect(productCheck(event, LANDED_AT, purgedBefore)).toEqual(expected)
    }),
  )
})

// Not `strictRequired`: an alternative requires properties that its parent describes.
const isEvent = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(EVENT_SCHEMA)

/** What the form of an event alone decides; the other reasons depend on clocks, calendars and zones. */
const STRUCTURAL = ['not-an-object', 'bad-device-id', 'unknown-type', 'missing-field', 'not-a-number', 'out-of-range']

/**
 * The one thing that the schema takes and the check does not: JSON Schema counts code points where RULES.md 2 counts
 * UTF-16 units, so a text with characters beyond U+FFFF may be too long for the check alone.
 */
function isTooLongInUnitsAlone(value: unknown): boolean {
  const { deviceId, address } = Object(value) as { deviceId?: unknown; address?: unknown }
  const between = (text: unknown, limit: number): boolean =>
    typeof text === 'string' && text.length > limit && [...text].length <= limit
  return between(deviceId, BOUNDS.deviceIdUnits) || between(address, BOUNDS.addressUnits)
}

const jsonText = oddValueArbitrary(LANDED_AT).map((value) => JSON.stringify(value) ?? 'null')

test('what the schema refuses is rejected, and it refuses all whose form is wrong', () => {
  const seen = { both: 0, neither: 0, checkAlone: 0 }
  fc.assert(
    fc.property(jsonText, (text) => {
      const value: unknown = JSON.parse(text)
      const reason = checkEvent(value, { landedAt: LANDED_AT, purgedBefore: 0 }, new EventBatch())
      if (!isEvent(value)) {
        seen.both++
        expect(reason, text).not.toBe(null)
      } else if (reason !== null && STRUCTURAL.includes(reason)) {
        seen.checkAlone++
        expect(isTooLongInUnitsAlone(value), text).toBe(true)
      } else {
        seen.neither++
      }
    }),
    { numRuns: 4000 },
  )
  expect(seen.both).toBeGreaterThan(500)
  expect(seen.neither).toBeGreaterThan(500)
})

test.each([
  ['deviceId', BOUNDS.deviceIdUnits, 'bad-device-id'],
  ['address', BOUNDS.addressUnits, 'out-of-range'],
])('a %s of more than %i units, though not of more code points, passes the schema alone', (field, limit, reason) => {
  const event = (text: string) => ({ deviceId: 'a', at: LANDED_AT, type: 'gps', lat: 1, lon: 1, [field]: text })
  const [fits, long] = [limit / 2, limit / 2 + 1].map((length) => event('\u{1F9CA}'.repeat(length)))
  expect([isEvent(fits), isEvent(long)]).toEqual([true, true])
  expect(productCheck(fits, LANDED_AT)).toEqual(referenceCheck(fits, LANDED_AT))
  expect(productCheck(long, LANDED_AT)).toEqual({ reason })
})

test('a number beyond all numbers, as JSON may hold it, is none to either', () => {
  const text = '{"deviceId":"a","at":1715335260000,"type":"temperature","celsius":1e999}'
  expect(isEvent(JSON.parse(text))).toBe(false)
  expect(productCheck(JSON.parse(text), LANDED_AT)).toEqual({ reason: 'not-a-number' })
})
