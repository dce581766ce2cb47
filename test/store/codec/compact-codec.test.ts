import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ABSENT, type EventColumns, Kind, NO_SEQ, totalHigh, totalLow } from '../../../src/event/event-columns.ts'
import { decodeCompacted, decodeCompactedDevice, encodeCompacted } from '../../../src/store/codec/compact-codec.ts'
import { addressText, columnsOf, type Row } from './rows.ts'

const PLAIN: Row = { device: 1, at: 2, kind: Kind.power, a: 1, b: 0, seq: NO_SEQ, address: undefined, ofImport: 0 }

const int32 = fc.oneof(
  fc.constantFrom(0, 1, -1, ABSENT, ABSENT + 1, 2 ** 31 - 1),
  fc.integer({ min: -1000, max: 1000 }).map((tens) => tens * 10),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
)
const total = fc.oneof(fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER), fc.maxSafeNat())

const row: fc.Arbitrary<Row> = fc
  .record({
    device: fc.oneof(fc.constantFrom(0, 1, 16, 2 ** 31 - 1), fc.nat({ max: 2 ** 31 - 1 })),
    at: fc.oneof(
      fc.constantFrom(0, 86_399_999),
      fc.nat({ max: 86_399_999 }),
      fc.nat({ max: 86_399 }).map(thousandFold),
    ),
    kind: fc.constantFrom(...Object.values(Kind), 7),
    a: int32,
    b: fc.oneof(fc.constant(0), int32),
    counter: total,
    seq: fc.oneof(fc.constantFrom(NO_SEQ, 0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()),
    address: fc.option(addressText, { nil: undefined }),
    ofImport: fc.constantFrom(0, 0, 1, 2, 2 ** 31 - 1),
  })
  .map(({ counter, ...one }) =>
    one.kind === Kind.visitorTotal ? { ...one, a: totalLow(counter), b: totalHigh(counter) } : one,
  )

/** Sorted as a body needs them and no further; each of what may be left out is left out about half the time. */
const rows: fc.Arbitrary<Row[]> = fc
  .record({
    all: fc.array(row, { maxLength: 60, size: 'max' }),
    devices: fc.integer({ min: 1, max: 20 }),
    fewDevices: fc.boolean(),
    withSeq: fc.boolean(),
    withAddresses: fc.boolean(),
    withImports: fc.boolean(),
  })
  .map(({ all, devices, fewDevices, withSeq, withAddresses, withImports }) =>
    all
      .map((one) => ({
        ...one,
        device: fewDevices ? one.device % devices : one.device,
        seq: withSeq ? one.seq : NO_SEQ,
        address: withAddresses ? one.address : undefined,
        ofImport: withImports ? one.ofImport : 0,
      }))
      .sort((one, other) => one.device - other.device || one.at - other.at),
  )

function thousandFold(value: number): number {
  return value * 1000
}

/** A body whose stream is sound, whatever is in it. */
const bodyOf = (payload: Uint8Array): Buffer => Buffer.concat([Buffer.of(1), deflateSync(payload)])
const payloadOf = (body: Buffer): Buffer => inflateSync(body.subarray(1))

const SAMPLE: Row[] = [
  { device: 3, at: 1000, kind: Kind.temperature, a: 4500, b: 4000, seq: 7, address: undefined, ofImport: 0 },
  { device: 3, at: 2000, kind: Kind.temperature, a: 4300, b: ABSENT, seq: 8, address: undefined, ofImport: 0 },
  {
    device: 19,
    at: 500,
    kind: Kind.fix,
    a: 525_200_000,
    b: -134_050_000,
    seq: NO_SEQ,
    address: 'a\uD83E',
    ofImport: 0,
  },
]

describe('what cannot be stored is refused', () => {
  test.each<[string, Partial<Row>[]]>([
    ['devices out of order', [{ device: 2 }, { device: 1 }]],
    ['instants of a device out of order', [{ at: 2 }, { at: 1 }]],
    ['a kind above 7', [{ kind: 8 }]],
    ['a fractional seq', [{ seq: 0.5 }]],
    ['a seq below 0', [{ seq: -2 }]],
    ['a seq above 2^53-1', [{ seq: 2 ** 53 }]],
    ['a seq that is no number', [{ seq: Number.NaN }]],
    ['an import below 0', [{ ofImport: -1 }]],
  ])('%s', (_, changes) => {
    const columns = columnsOf(changes.map((change) => ({ ...PLAIN, ...change })))
    expect(() => encodeCompacted(columns)).toThrow(RangeError)
  })

  test.each(['device', 'at', 'kind', 'a', 'b', 'seq'] as const)('a column %s shorter than the count', (field) => {
    const columns = columnsOf(SAMPLE)
    expect(() => encodeCompacted({ ...columns, [field]: columns[field]?.subarray(0, 2) })).toThrow(RangeError)
  })

  test.each([-1, 0.5, 3, Number.NaN])('an address of row %s, where there are three', (place) => {
    const columns = columnsOf(SAMPLE)
    expect(() => encodeCompacted({ ...columns, addresses: new Map([[place, 'a']]) })).toThrow(RangeError)
  })
})

describe('a body that is damaged is refused', () => {
  test('of any other codec version, or empty', () => {
    const body = encodeCompacted(columnsOf(SAMPLE))
    for (let version = 0; version < 256; version++) {
      if (version === 1 || version === 2) continue
      const other = Buffer.from(body)
      other[0] = version
      expect(() => decodeCompacted(other)).toThrow(`version ${version}`)
    }
    expect(() => decodeCompacted(Buffer.alloc(0))).toThrow('version')
  })

  test('cut short anywhere', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (all, cut) => {
        const body = encodeCompacted(columnsOf(all))
        expect(() => decodeCompacted(body.subarray(0, cut % body.length))).toThrow()
      }),
      { numRuns: 500 },
    )
  })

  test('with a bit turned over, unless that bit says nothing', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (all, place) => {
        const body = encodeCompacted(columnsOf(all))
        body[1 + ((place >> 3) % (body.length - 1))] ^= 1 << (place & 7)
        expectRefusedOr(body, columnsOf(all))
      }),
      { numRuns: 500 },
    )
  })

  test('with bytes overwritten', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }), (all, place, bytes) => {
        const body = encodeCompacted(columnsOf(all))
        body.set(bytes.subarray(0, body.length - 1), 1 + (place % Math.max(1, body.length - bytes.length)))
        expectRefusedOr(body, columnsOf(all))
      }),
      { numRuns: 300 },
    )
  })

  function expectRefusedOr(body: Buffer, columns: EventColumns): void {
    let decoded: EventColumns
    try {
      decoded = decodeCompacted(body)
    } catch (error) {
      expect((error as Error).message).toMatch(/^compacted events are damaged: ./)
      return
    }
    expect(decoded).toEqual(columns)
  }

  test.each([
    ['no count', '010000'],
    ['a count beyond its length', 'ffffffff83'],
    ['a first row that is not the first of its device', '0100000003'],
    ['no columns', '0100000083'],
    ['a column that is cut short', '01000000830401'],
    ['a column of five bytes a value', '0100000083050101010101000000'],
    ['a column in units of 10^10', '0100000083a101000000'],
    ['addresses that are no JSON', '0100000083000000005b'],
    ['addresses that are no list', '0100000083000000007b7d'],
    ['addresses that are no strings', '0100000083000000005b315d'],
    ['an address that is not in the list', '01000000c300000000005b5d'],
  ])('sound as a stream, but with %s', (_, hex) => {
    const body = bodyOf(Buffer.from(hex, 'hex'))
    expect(() => decodeCompacted(body)).toThrow(/damaged|JSON/)
    expect(() => decodeCompactedDevice(body, 0)).toThrow(/damaged|JSON/)
  })

  test('a payload of any bytes ends in an error, or in as many rows as it says', () => {
    const payload = fc.tuple(fc.nat({ max: 40 }), fc.uint8Array({ maxLength: 200 })).map(([count, rest]) => {
      return Buffer.concat([Buffer.of(count, 0, 0, 0, 0x80 | rest[0]), rest.subarray(1)])
    })
    fc.assert(
      fc.property(payload, (bytes) => {
        const body = bodyOf(bytes)
        let count = bytes[0]
        try {
          count = decodeCompacted(body).count
        } catch (error) {
          expect((error as Error).message).toMatch(/damaged|JSON/)
        }
        expect(count).toBe(bytes[0])
      }),
      { numRuns: 500 },
    )
  })
})

test('columns come back as they were, whatever their values', () => {
  fc.assert(
    fc.property(rows, fc.nat(3), (all, spare) => {
      expect(decodeCompacted(encodeCompacted(columnsOf(all, spare)))).toEqual(columnsOf(all))
    }),
    { numRuns: 500 },
  )
})

test('the events of one device come back as they were, and none of a device that has none', () => {
  fc.assert(
    fc.property(rows, fc.nat({ max: 2 ** 31 - 1 }), (all, other) => {
      const body = encodeCompacted(columnsOf(all))
      for (const device of new Set([...all.map((one) => one.device), other])) {
        const own = all.filter((one) => one.device === device)
        expect(decodeCompactedDevice(body, device)).toEqual(columnsOf(own))
      }
    }),
    { numRuns: 500 },
  )
})

test.each<[string, Row[]]>([
  ['no events', []],
  ['one event', [PLAIN]],
  ['repeats', [PLAIN, PLAIN, PLAIN]],
  ['a thousand devices', Array.from({ length: 1000 }, (_, device) => ({ ...PLAIN, device }))],
  [
    'differences beyond 32 bits',
    [2 ** 31 - 1, ABSENT + 1, 2 ** 31 - 1, 0].map((a) => ({ ...PLAIN, kind: Kind.fix, a, b: -a | 0 })),
  ],
])('%s come back as they were', (_, all) => {
  expect(decodeCompacted(encodeCompacted(columnsOf(all)))).toEqual(columnsOf(all))
})

test('a seq column without any seq and a list without any address come back as null', () => {
  const quiet = { ...columnsOf([PLAIN, PLAIN]), seq: new Float64Array(2).fill(NO_SEQ), addresses: new Map() }
  expect(decodeCompacted(encodeCompacted(quiet))).toEqual(columnsOf([PLAIN, PLAIN]))
})

test('a body is read at any place in its memory, and left as it was', () => {
  const body = encodeCompacted(columnsOf(SAMPLE))
  for (let place = 0; place < 16; place++) {
    const memory = Buffer.alloc(body.length + 32, 0xaa)
    const moved = memory.subarray(place, place + body.length)
    body.copy(moved)
    expect(decodeCompacted(moved)).toEqual(columnsOf(SAMPLE))
    expect(moved.equals(body)).toBe(true)
  }
})

test('the payload of a body is laid out as its description says', () => {
  const hex = [
    '03000000', // 3 rows
    '8a2ac4', // tags: first + seq + temperature, no b + seq + temperature, first + address + fix
    '010313', // devices 3 and 19
    '310101', // kind 2: instants 1000, + 1000, in units of 10^3
    '295a03', // celsius 4500, - 200, in units of 10^2, signed: 2 * 45, 2 * 2 - 1
    '3104', // set point 4000, in units of 10^3
    '2105', // kind 4: instant 500
    '528414', // latitude 525 200 000 in units of 10^5: 5252
    '4ab968', // longitude -134 050 000 in units of 10^4, signed: 2 * 13405 - 1
    '010701', // low bits of seq 7, + 1
    '90', // high bits
    '90', // the first of the addresses
    Buffer.from('["a\\ud83e"]').toString('hex'),
  ]
  expect(payloadOf(encodeCompacted(columnsOf(SAMPLE))).toString('hex')).toBe(hex.join(''))
})
