import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ABSENT, Kind, NO_SEQ, totalHigh, totalLow, totalOf } from '../../../src/event/event-columns.ts'
import { NARROW_VERSION } from '../../../src/store/codec/narrow-codec.ts'
import { decodeSegment, encodeSegment } from '../../../src/store/codec/segment-codec.ts'
import { addressText, columnsOf, type Row } from './rows.ts'

const INT32 = [0, 1, -1, ABSENT, 2 ** 31 - 1]
const int32 = fc.oneof(fc.constantFrom(...INT32), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))

const row: fc.Arbitrary<Row> = fc.record({
  device: int32,
  at: fc.oneof(fc.constantFrom(0, 86_399_999), int32),
  kind: fc.constantFrom(...Object.values(Kind)),
  a: int32,
  b: fc.oneof(fc.constant(0), int32),
  seq: fc.oneof(fc.constant(NO_SEQ), fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()),
  address: fc.option(addressText, { nil: undefined }),
})

/** Each of the columns that may be left out is left out about half the time. */
const rows = fc
  .record({
    all: fc.array(row, { maxLength: 30, size: 'max' }),
    withB: fc.boolean(),
    withSeq: fc.boolean(),
    withAddresses: fc.boolean(),
  })
  .map(({ all, withB, withSeq, withAddresses }) =>
    all.map((one) => ({
      ...one,
      b: withB ? one.b : 0,
      seq: withSeq ? one.seq : NO_SEQ,
      address: withAddresses ? one.address : undefined,
    })),
  )

const SAMPLE = columnsOf([
  { device: 3, at: 1000, kind: Kind.fix, a: 525_200_000, b: -134_050_000, seq: NO_SEQ, address: 'a\uD83E' },
  { device: 0, at: 86_399_999, kind: Kind.temperature, a: -18_500, b: ABSENT, seq: 5, address: undefined },
])

test('columns come back as they were, whatever their values', () => {
  fc.assert(
    fc.property(rows, fc.nat(3), (all, spare) => {
      expect(decodeSegment(encodeSegment(columnsOf(all, spare)))).toEqual(columnsOf(all))
    }),
    { numRuns: 500 },
  )
})

test('a segment without events comes back without events', () => {
  expect(decodeSegment(encodeSegment(columnsOf([])))).toEqual(columnsOf([]))
})

test('columns that say nothing take no bytes', () => {
  const plain = { device: 1, at: 2, kind: Kind.power, a: 1, b: 0, seq: NO_SEQ, address: undefined }
  const quiet = { ...columnsOf([plain, plain]), seq: new Float64Array(2).fill(NO_SEQ), addresses: new Map() }
  expect(encodeSegment(quiet)).toHaveLength(8 + 2 * 13)
  expect(decodeSegment(encodeSegment(quiet))).toEqual(columnsOf([plain, plain]))
})

test('the body of a segment is laid out as its description says', () => {
  const hex = [
    '0107000002000000', // version 1, all three flags, 2 events
    '0300000000000000', // devices
    'e8030000ff5b2605', // instants
    '80ea4d1fbcb7ffff', // a
    '308f02f800000080', // b
    '000000000000f0bf', // seq -1
    '0000000000001440', // seq 5
    '0402', // kinds
    Buffer.from('[[0,"a\\ud83e"]]').toString('hex'),
  ]
  expect(encodeSegment(SAMPLE).toString('hex')).toBe(hex.join(''))
})

test('a body that is cut short anywhere is refused', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (all, cut) => {
      const body = encodeSegment(columnsOf(all))
      expect(() => decodeSegment(body.subarray(0, cut % body.length))).toThrow()
    }),
    { numRuns: 500 },
  )
})

test('a body of any other codec version is refused', () => {
  const body = encodeSegment(SAMPLE)
  expect(decodeSegment(body)).toEqual(SAMPLE)
  for (let version = 0; version < 256; version++) {
    if (version === 1 || version === NARROW_VERSION) continue
    const other = Buffer.from(body)
    other[0] = version
    expect(() => decodeSegment(other)).toThrow(`version ${version}`)
  }
})

test.each([
  ['nothing', ''],
  ['text', Buffer.from('{"events":[]}').toString('hex')],
  ['a count beyond its length', '01000000ffffffff'],
  ['addresses that are no JSON', '0104000000000000aa'],
  ['addresses that are no list of pairs', `0104000000000000${Buffer.from('[1]').toString('hex')}`],
])('a body of %s is refused', (_, hex) => {
  expect(() => decodeSegment(Buffer.from(hex, 'hex'))).toThrow()
})

test('a body is read at any place in its memory, and left as it was', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 15 }), (all, place) => {
      const body = encodeSegment(columnsOf(all))
      const memory = Buffer.alloc(body.length + 32, 0xaa)
      const moved = memory.subarray(place, place + body.length)
      body.copy(moved)
      expect(decodeSegment(moved)).toEqual(columnsOf(all))
      expect(moved.equals(body)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

// Filled up with zeros they would be events at midnight, of the first device.
test('columns shorter than their count are refused', () => {
  expect(() => encodeSegment({ ...SAMPLE, device: new Int32Array(1) })).toThrow(RangeError)
})

test('a running total of up to 2^53-1 survives its two columns', () => {
  const total = fc.oneof(fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER), fc.maxSafeNat())
  fc.assert(
    fc.property(total, (value) => {
      const a = new Int32Array([totalLow(value)])
      const b = new Int32Array([totalHigh(value)])
      expect(totalOf(a[0], b[0])).toBe(value)
    }),
  )
})
