import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckContext } from '../../../src/event/check-event.ts'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { ABSENT, Kind } from '../../../src/event/event-columns.ts'
import { addPacked } from '../../../src/ingest/packed/add-packed.ts'
import { decodeBatch, encodeBatch } from '../../../src/ingest/packed/batch-codec.ts'
import { packLines } from '../../../src/ingest/packed/pack-batch.ts'
import { checkAll, contentsOf } from '../../fuzz/ways.ts'
import { historyArbitrary, oddValueArbitrary } from '../../reference/arbitraries.ts'
import { DAY_MS } from '../../reference/durations.ts'

const LANDED_AT = Date.UTC(2024, 4, 20)
const CONTEXT: CheckContext = { landedAt: LANDED_AT, purgedBefore: 0 }

/** Checked events, as far as they are good. */
function batchOf(events: readonly unknown[], context = CONTEXT): EventBatch {
  const batch = new EventBatch()
  checkAll(
    events.map((value) => ({ value })),
    context,
    batch,
  )
  batch.rejects.length = 0
  return batch
}

/** A batch behind others in one group, as one job of several comes out of the queue. */
function unpacked(packed: Buffer, context = CONTEXT, group = new EventBatch()): EventBatch {
  addPacked(decodeBatch(packed), context, group)
  return group
}

const power = (deviceId: string, at: number, more: object = {}) => ({ deviceId, at, type: 'power', on: true, ...more })

const oddId = fc.oneof(
  fc.constantFrom('__proto__', '\ud800', 'a\udc00b', 'ü', '\u{1F9CA}'.repeat(128), 'ü'.repeat(256), '\u0000', '"'),
  fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }).filter((id) => id.length <= 256),
)
const events = fc.oneof(
  historyArbitrary().map(({ events: all }) => all),
  fc.array(oddValueArbitrary(LANDED_AT), { maxLength: 40 }),
  fc.array(
    fc
      .record({ id: oddId, at: fc.integer({ min: 946_684_800_000, max: LANDED_AT }) })
      .map(({ id, at }) => power(id, at)),
    { maxLength: 40 },
  ),
)

test('what was packed comes out as it went in, alone or behind others in a group', () => {
  fc.assert(
    fc.property(events, events, (own, before) => {
      const batch = batchOf(own)
      expect(contentsOf(unpacked(encodeBatch(batch)))).toEqual(contentsOf(batch))
      const group = unpacked(encodeBatch(batch), CONTEXT, unpacked(encodeBatch(batchOf(before))))
      // Devices of both are one: by their ids all is as if it had been checked into one batch.
      expect(contentsOf(group)).toEqual(contentsOf(batchOf([...before, ...own])))
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
  )
})

test('so do more devices than a look at them shows at once, met before or not', () => {
  const fleet = (from: number) =>
    Array.from({ length: 10_000 }, (_, number) => power(`cooler-of-the-north-${from + number}`, LANDED_AT - number))
  const group = new EventBatch()
  for (const from of [0, 5000, 0]) unpacked(encodeBatch(batchOf(fleet(from))), CONTEXT, group)
  expect(contentsOf(group)).toEqual(contentsOf(batchOf([...fleet(0), ...fleet(5000), ...fleet(0)])))
  expect(group.ids).toHaveLength(15_000)
})

test('events that have become too old or are of the future are rejected with what is known of them', () => {
  const at = LANDED_AT - 5 * DAY_MS
  const placement = { deviceId: 'c', type: 'placement', lat: 1.5, lon: -2, timezone: 'Europe/Berlin', address: 'Zoo' }
  const late = LANDED_AT + 2 * DAY_MS
  const all = [
    power('a', at),
    power('b', LANDED_AT),
    power('a', late, { seq: 7 }),
    { deviceId: 'a', at: at + 1, type: 'gps', lat: 1.25, lon: 2, address: 'Kiosk 7' },
    { ...placement, at },
    { ...placement, at: late },
  ]
  const packed = encodeBatch(batchOf(all, { landedAt: late, purgedBefore: 0 }))
  const group = new EventBatch()
  const result = addPacked(decodeBatch(packed), { landedAt: LANDED_AT, purgedBefore: at + 2 }, group)
  expect(result).toEqual({
    landed: 2,
    rejected: 4,
    rejections: [
      { index: 0, reason: 'raw-purged' },
      { index: 2, reason: 'at-in-future' },
      { index: 3, reason: 'raw-purged' },
      { index: 5, reason: 'at-in-future' },
    ],
  })
  expect(group.rejects.map(({ raw }) => JSON.parse(raw))).toEqual([
    { deviceId: 'a', at: '2024-05-15T00:00:00.000Z', type: 'power', on: true },
    { deviceId: 'a', at: '2024-05-22T00:00:00.000Z', seq: 7, type: 'power', on: true },
    { deviceId: 'a', at: '2024-05-15T00:00:00.001Z', type: 'gps', lat: 1.25, lon: 2, address: 'Kiosk 7' },
    { ...placement, at: '2024-05-22T00:00:00.000Z' },
  ])
  expect(group.rejects.map(({ deviceId, at: instant }) => [deviceId, instant])).toContainEqual(['c', late])
  expect(group.landed).toBe(2)
})

describe('a batch in which a value is impossible is none', () => {
  const good = () =>
    batchOf([
      power('a', LANDED_AT, { seq: 1 }),
      // Of another season: instants are kept as doubles then, of which some are none.
      { deviceId: 'b', at: LANDED_AT - 60 * DAY_MS, type: 'gps', lat: 1, lon: 1, address: 'Zoo' },
      { deviceId: 'b', at: LANDED_AT, type: 'placement', lat: 1, lon: 1 },
    ])
  const rows: [string, number, number, number][] = [
    ['a door that is half open', Kind.doorState, 2, 0],
    ['a count of no door', Kind.doorCount, 0, 0],
    ['a count of too many doors', Kind.doorCount, 100_001, 0],
    ['no reading at all', Kind.temperature, ABSENT, ABSENT],
    ['a reading below all', Kind.temperature, -60_001, ABSENT],
    ['a set point above all', Kind.temperature, 4000, 80_001],
    ['power with a second value', Kind.power, 1, 1],
    ['a latitude beyond the pole', Kind.fix, 900_000_001, 0],
    ['a longitude beyond the date line', Kind.fix, 0, -1_800_000_001],
    ['fewer visitors than none', Kind.visitorCount, -1, 0],
    ['a counter beyond all integers', Kind.visitorTotal, 0, 2 ** 21],
    ['a negative counter', Kind.visitorTotal, 0, -1],
    ['no kind', 7, 0, 0],
  ]
  test.each(rows)('%s', (_, kind, a, b) => {
    const batch = good()
    batch.kind[0] = kind
    batch.a[0] = a
    batch.b[0] = b
    expect(() => decodeBatch(encodeBatch(batch))).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  test.each<[string, (batch: EventBatch) => unknown]>([
    ['a device that it does not have', (batch) => (batch.device[0] = 2)],
    ['an instant before this century', (batch) => (batch.at[0] = 946_684_799_999)],
    ['an instant between two', (batch) => (batch.at[0] += 0.5)],
    ['an instant that no calendar has', (batch) => (batch.at[0] = 8_640_000_000_000_001)],
    ['a seq below zero', (batch) => (batch.seq[0] = -2)],
    ['a seq between two', (batch) => (batch.seq[0] = 0.5)],
    ['an address of something that is no fix', (batch) => batch.addresses.set(0, 'Zoo')],
    ['an address of no row', (batch) => batch.addresses.set(2, 'Zoo')],
    ['an address that is too long', (batch) => batch.addresses.set(1, 'x'.repeat(513))],
    ['a placement of no device', (batch) => (batch.placements[0].device = 2)],
    ['a placement in no zone', (batch) => (batch.placements[0].zone = 'Mars/Olympus_Mons')],
    ['a placement beyond the pole', (batch) => (batch.placements[0].lat = -900_000_001)],
    ['a placement at no instant', (batch) => (batch.placements[0].at = 1)],
    ['a placement with an impossible seq', (batch) => (batch.placements[0].seq = -2)],
    ['a placement whose address is none', (batch) => Object.assign(batch.placements[0], { address: 7 })],
    ['a device id that is empty', (batch) => (batch.ids[0] = '')],
    ['a device id that is too long', (batch) => (batch.ids[0] = 'x'.repeat(257))],
    ['an odd device id that is too long', (batch) => (batch.ids[0] = '\ud800'.repeat(257))],
    ['a long device id of few code points', (batch) => (batch.ids[0] = '\u{1F9CA}'.repeat(129))],
  ])('%s', (_, spoil) => {
    const batch = good()
    expect(() => decodeBatch(encodeBatch(batch))).not.toThrow()
    spoil(batch)
    expect(() => decodeBatch(encodeBatch(batch))).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  test('instants that are none', () => {
    const bytes = encodeBatch(good())
    bytes.writeDoubleLE(Number.NaN, 8)
    expect(() => decodeBatch(bytes)).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  test('ids whose bytes do not end with a character', () => {
    const bytes = encodeBatch(batchOf([power('ä', LANDED_AT), power('b', LANDED_AT)]))
    const lengths = bytes.indexOf(Buffer.of(2, 0, 1, 0))
    bytes.set([1, 0, 2, 0], lengths)
    expect(() => decodeBatch(bytes)).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  test('bytes of a later version, or none', () => {
    const bytes = encodeBatch(good())
    bytes[0] = 2
    for (const wrong of [bytes, Buffer.alloc(0), Buffer.alloc(15, 1)])
      expect(() => decodeBatch(wrong)).toThrow(/not a packed batch: codec version/)
  })
})

test('lines that might be judged otherwise elsewhere, and all that are bad, stay lines', () => {
  const now = LANDED_AT
  const ahead = JSON.stringify(power('a', now + 1))
  const text = [JSON.stringify(power('a', now)), ahead, '', 'no JSON', JSON.stringify(power('a', 5))].join('\n')
  const { job, events: count } = packLines(Buffer.from(text), now)
  expect(job).toEqual({
    packed: expect.any(String),
    ndjson: [ahead, 'no JSON', JSON.stringify(power('a', 5))].join('\n'),
  })
  expect(count).toBe(4)
  expect(packLines(Buffer.from(ahead), now).job).toEqual({ ndjson: ahead })
  expect(packLines(Buffer.from('\n'), now)).toMatchObject({ job: { ndjson: '' }, events: 0 })
})
