import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena } from '../../../src/base/arena.ts'
import { ABSENT, type EventColumns, Kind, NO_SEQ } from '../../../src/event/event-columns.ts'
import { decodeNarrow, encodeNarrow } from '../../../src/store/codec/narrow-codec.ts'
import { readColumn, writeColumn } from '../../../src/store/codec/narrow-column.ts'
import { decodeSegment, encodeSegment } from '../../../src/store/codec/segment-codec.ts'
import { addressText, columnsOf, type Row } from './rows.ts'

const INT32 = [0, 1, -1, ABSENT, 2 ** 31 - 1]
const int32 = fc.oneof(fc.constantFrom(...INT32), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))

const row: fc.Arbitrary<Row> = fc.record({
  device: fc.oneof(fc.nat(3), int32),
  at: fc.oneof(fc.constantFrom(0, 86_399_999), int32),
  kind: fc.constantFrom(...Object.values(Kind), 7),
  a: fc.oneof(fc.nat(9), int32),
  b: fc.oneof(fc.constant(0), int32),
  seq: fc.oneof(fc.constant(NO_SEQ), fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()),
  address: fc.option(addressText, { nil: undefined }),
})
const rows = fc.array(row, { maxLength: 40, size: 'max' })

const encoded = (columns: EventColumns): Buffer => encodeNarrow(columns, new Arena())
const decoded = (body: Buffer, ofImport = 0): EventColumns => decodeNarrow(body, ofImport, new Arena())

test('columns come back as they were, whatever their values, order and the memory around them', () => {
  const used = new Arena()
  used.uint8(5000).fill(0xaa)
  fc.assert(
    fc.property(rows, fc.nat(3), fc.nat(15), (all, spare, place) => {
      used.clear()
      const body = encodeNarrow(columnsOf(all, spare), used)
      expect(body).toEqual(encoded(columnsOf(all)))
      const memory = Buffer.alloc(body.length + 32, 0xaa)
      const moved = memory.subarray(place, place + body.length)
      body.copy(moved)
      used.clear()
      expect(decodeNarrow(moved, 0, used)).toEqual(columnsOf(all))
    }),
    { numRuns: 500 },
  )
})

test('all events are of the import of their segment', () => {
  const columns = columnsOf([{ device: 1, at: 2, kind: 0, a: 1, b: 0, seq: NO_SEQ, address: undefined }])
  expect(decoded(encoded(columns), 5)).toEqual({ ...columns, imports: new Int32Array([5]) })
})

test('a body that is cut short anywhere is refused', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (all, cut) => {
      const body = encoded(columnsOf(all))
      expect(() => decoded(body.subarray(0, cut % body.length))).toThrow()
    }),
    { numRuns: 500 },
  )
})

test('the body is laid out as its description says', () => {
  const hex = [
    '02010000', // version 2, with addresses
    '03000000', // 3 events
    '02000000', // 2 runs
    '04220200', // tags: a fix, a temperature without `b`, a temperature; filled up
  ]
  const body = encoded(
    columnsOf([
      { device: 19, at: 1000, kind: Kind.fix, a: 70_000, b: -1, seq: NO_SEQ, address: 'x' },
      { device: 3, at: 5000, kind: Kind.temperature, a: -18_500, b: ABSENT, seq: NO_SEQ, address: undefined },
      { device: 3, at: 700_000, kind: Kind.temperature, a: 20_500, b: 7, seq: NO_SEQ, address: undefined },
    ]),
  )
  const column = (base: number, unit: number, width: number, values: string): string => {
    const head = Buffer.alloc(12)
    head.writeInt32LE(base)
    head.writeUInt32LE(unit, 4)
    head.writeUInt32LE(width, 8)
    return head.toString('hex') + values
  }
  hex.push(column(3, 1, 1, '10000000')) // devices
  hex.push(column(1, 1, 1, '00010000')) // rows of each run
  hex.push(column(1000, 1000, 2, '00000400bb020000')) // instants, in whole seconds
  hex.push(column(-18_500, 39_000, 1, '00010000')) // `a` of temperatures
  hex.push(column(70_000, 1, 0, '')) // `a` of fixes
  hex.push(column(7, 1, 0, '')) // `b` of temperatures
  hex.push(column(-1, 1, 0, '')) // `b` of fixes
  hex.push(Buffer.from('[[0,"x"]]').toString('hex'))
  expect(body.toString('hex')).toBe(hex.join(''))
})

test.each([
  ['one value', [5, 5, 5], 0],
  ['a spread of a byte', [-3, 252], 1],
  ['a spread above a byte', [-3, 253], 2],
  ['a spread above two bytes', [0, 65_536], 1], // of a unit of 65,536
  ['odd values above two bytes', [0, 1, 65_536], 3],
  ['a spread above three bytes', [0, 1, 2 ** 24], 4],
  ['any values', [-(2 ** 31), 2 ** 31 - 1], 4],
  ['whole seconds of a day', [0, 1000, 86_399_000], 3],
  ['minutes of a day', [0, 60_000, 86_340_000], 2],
])('a column of %s takes the fewest bytes', (_, values, width) => {
  const column = new Uint8Array(12 + 4 * values.length)
  const end = writeColumn(column, 0, Int32Array.from(values), new Int32Array(values.length))
  expect(end).toBe(12 + Math.ceil((values.length * width) / 4) * 4)
  const back = new Int32Array(values.length)
  expect(readColumn(column.subarray(0, end), 0, back)).toBe(end)
  expect([...back]).toEqual(values)
})

test('many events land narrow, few plain', () => {
  const many = Array.from({ length: 512 }, (_, index) => ({
    device: 16 * Math.floor(index / 30),
    at: (index % 30) * 300_000,
    kind: Kind.temperature,
    a: 4000 + (index % 7) * 100,
    b: 4000,
    seq: NO_SEQ,
    address: undefined,
  }))
  const body = encodeSegment(columnsOf(many))
  expect(body[0]).toBe(2)
  expect(body.length / many.length).toBeLessThan(4)
  expect(decodeSegment(body)).toEqual(columnsOf(many))
  expect(encodeSegment(columnsOf(many.slice(1)))[0]).toBe(1)
})

test('a kind that has no tag is refused', () => {
  const one = { device: 1, at: 2, kind: 8, a: 1, b: 0, seq: NO_SEQ, address: undefined }
  expect(() => encoded(columnsOf([one]))).toThrow(RangeError)
})
