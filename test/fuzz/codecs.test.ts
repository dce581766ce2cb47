import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena } from '../../src/base/arena.ts'
import { EventBatch } from '../../src/event/event-batch.ts'
import { ABSENT, type EventColumns, Kind, NO_SEQ } from '../../src/event/event-columns.ts'
import { addPacked } from '../../src/ingest/packed/add-packed.ts'
import { decodeBatch, encodeBatch } from '../../src/ingest/packed/batch-codec.ts'
import { scanLines } from '../../src/ingest/scan/scan-lines.ts'
import { BLOCK_DEVICES, emptyBlock } from '../../src/store/codec/block-codec.ts'
import { decodeCompacted, decodeCompactedDevice, encodeCompacted } from '../../src/store/codec/compact-codec.ts'
import { decodeNarrow, encodeNarrow, NARROW_VERSION } from '../../src/store/codec/narrow-codec.ts'
import { decodeSegment, encodeSegment } from '../../src/store/codec/segment-codec.ts'
import { type DeviceDay, emptyDeviceDay } from '../../src/store/device-day.ts'
import { STATISTIC_NAMES } from '../../src/store/statistics.ts'
import { decodeBlock, encodeBlock, readSlot } from '../helpers/read-slot.ts'
import { damage, damaged } from './damage.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, tellRuns } from './fuzz-runs.ts'
import { batchTexts } from './http-bodies.ts'
import { expand } from './json-text.ts'
import { contentsOf } from './ways.ts'

/** A zlib stream has at most so many bytes for each of its own. */
const MOST_INFLATION = 1032

/** What a reader gives, or null where it throws an error; anything else that it does is none of this. */
function readOrRefused<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toMatch(/\w/)
    return null
  }
}

/** Columns of as many rows as they say, and no more than so many bytes can hold, one for each row at least. */
function expectSane(columns: EventColumns | null, mostRows: number): void {
  if (columns === null) return
  const { count, addresses } = columns
  expect(count).toBeLessThanOrEqual(mostRows)
  for (const column of [columns.device, columns.at, columns.kind, columns.a, columns.b, columns.seq, columns.imports]) {
    if (column !== null) expect(column.length).toBe(count)
  }
  expect(addresses === null || addresses.size <= mostRows).toBe(true)
}

const int32 = fc.oneof(
  fc.constantFrom(0, 1, -1, ABSENT, 2 ** 31 - 1),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
)

/** Columns as both codecs take them: by device and instant. */
const columns: fc.Arbitrary<EventColumns> = fc
  .array(
    fc.record({
      device: fc.nat(40),
      at: fc.nat(86_399_999),
      kind: fc.constantFrom(...Object.values(Kind), 7),
      a: int32,
      b: fc.oneof(fc.constant(0), int32),
      seq: fc.oneof(fc.constant(NO_SEQ), fc.maxSafeNat()),
      address: fc.constantFrom(undefined, undefined, '', 'Kiosk \uD83E', '__proto__'),
      ofImport: fc.constantFrom(0, 0, 1, 2 ** 31 - 1),
    }),
    { maxLength: 30 },
  )
  .map((rows) => {
    const all = rows.toSorted((one, other) => one.device - other.device || one.at - other.at)
    const addresses = all.flatMap(({ address }, row) => (address === undefined ? [] : [[row, address] as const]))
    return {
      count: all.length,
      device: Int32Array.from(all, ({ device }) => device),
      at: Int32Array.from(all, ({ at }) => at),
      kind: Uint8Array.from(all, ({ kind }) => kind),
      a: Int32Array.from(all, ({ a }) => a),
      b: Int32Array.from(all, ({ b }) => b),
      seq: all.some(({ seq }) => seq !== NO_SEQ) ? Float64Array.from(all, ({ seq }) => seq) : null,
      addresses: addresses.length > 0 ? new Map(addresses) : null,
      imports: all.some(({ ofImport }) => ofImport > 0) ? Int32Array.from(all, ({ ofImport }) => ofImport) : null,
    }
  })

const damages = fc.array(damage, { maxLength: 3 })

/** Any bytes, behind a head that is right more often than not. */
const anyBytes = (head: readonly number[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.boolean(), fc.uint8Array({ maxLength: 300, size: 'max' }))
    .map(([headed, bytes]) => Buffer.concat([Buffer.from(headed ? head : []), bytes]))

test(
  'bytes of a narrow segment are its columns, of a size that their length allows, or refused',
  () => {
    const startedAt = performance.now()
    const encode = (own: EventColumns): Buffer => Buffer.from(encodeNarrow(own, new Arena()))
    const valid = fc.tuple(columns, damages).map(([own, all]) => damaged(encode(own), all))
    const counted = fc
      .tuple(fc.constantFrom(0, 1, 7, 20, 255), fc.constantFrom(0, 1, 7, 20, 255))
      .chain(([count, runs]) => anyBytes([NARROW_VERSION, 0, 0, 0, count, 0, 0, 0, runs, 0, 0, 0]))
    const huge = anyBytes([NARROW_VERSION, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: valid }, counted, huge, anyBytes([NARROW_VERSION])), (body) => {
        expectSane(
          readOrRefused(() => decodeNarrow(body, 0, new Arena())),
          body.length,
        )
      }),
      fuzzed('bytes of narrow segments'),
    )
    tellRuns('bytes of narrow segments', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'bytes of a segment are its columns, of a size that their length allows, or refused',
  () => {
    const startedAt = performance.now()
    const valid = fc.tuple(columns, damages).map(([own, all]) => damaged(encodeSegment(own), all))
    const counted = fc
      .tuple(fc.constantFrom(0, 1, 7, 20, 255), fc.nat(7))
      .chain(([count, flags]) => anyBytes([1, flags, 0, 0, count, 0, 0, 0]))
    const huge = anyBytes([1, 7, 0, 0, 0xff, 0xff, 0xff, 0xff])
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: valid }, counted, huge, anyBytes([1])), (body) => {
        expectSane(
          readOrRefused(() => decodeSegment(body)),
          body.length / 13,
        )
      }),
      fuzzed('bytes of segments'),
    )
    tellRuns('bytes of segments', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'bytes of a compacted day are its columns, of a size that their length allows, or refused',
  () => {
    const startedAt = performance.now()
    const packed = (payload: Uint8Array, version = 1): Buffer =>
      Buffer.concat([Buffer.of(version), deflateSync(payload)])
    const valid = fc.tuple(columns, damages).map(([own, all]) => damaged(encodeCompacted(own), all))
    const sound = fc
      .tuple(fc.constantFrom(0, 1, 3, 20), fc.uint8Array({ maxLength: 200, size: 'max' }), fc.boolean())
      .map(([count, rest, ofImport]) => {
        const runs = ofImport ? Buffer.of(1, 0, 0, 0, count, 0, 0, 0, 5, 0, 0, 0) : Buffer.alloc(0)
        return packed(Buffer.concat([runs, Buffer.of(count, 0, 0, 0, 0x80 | (rest[0] ?? 0)), rest]), ofImport ? 2 : 1)
      })
    // Stretches of one byte, which a stream says in few.
    const bomb = fc.tuple(fc.nat(255), fc.nat(200_000), fc.nat(0xffff_ffff)).map(([byte, length, count]) => {
      const payload = Buffer.alloc(4 + length, byte)
      payload.writeUInt32LE(byte % 2 === 0 ? length >> 1 : count)
      return packed(payload)
    })
    const input = fc.oneof(
      { weight: 6, arbitrary: valid },
      { weight: 6, arbitrary: sound },
      anyBytes([1, 0x78, 0x9c]),
      anyBytes([2, 0x78, 0x9c]),
      bomb,
    )
    fc.assert(
      fc.property(input, fc.nat(40), (body, device) => {
        const mostRows = body.length * MOST_INFLATION
        const all = readOrRefused(() => decodeCompacted(body))
        expectSane(all, mostRows)
        const own = readOrRefused(() => decodeCompactedDevice(body, device))
        expectSane(own, mostRows)
        if (all !== null && own !== null) expect(own.count).toBeLessThanOrEqual(all.count)
      }),
      fuzzed('bytes of compacted days'),
    )
    tellRuns('bytes of compacted days', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'bytes of a packed batch are events that a check let through, or refused',
  () => {
    const startedAt = performance.now()
    const context = { landedAt: Date.now(), purgedBefore: 0 }
    const valid = fc.tuple(batchTexts.lines, damages).map(([text, all]) => {
      const batch = new EventBatch()
      // Text that is too long for a batch adds nothing.
      readOrRefused(() => scanLines(Buffer.from(expand(text)), context, batch))
      return damaged(encodeBatch(batch), all)
    })
    const input = fc.oneof({ weight: 6, arbitrary: valid }, anyBytes([1, 3, 1, 0, 1, 0, 0, 0]), anyBytes([1, 0]))
    fc.assert(
      fc.property(input, (bytes) => {
        const read = readOrRefused(() => decodeBatch(bytes))
        if (read === null) return
        const batch = new EventBatch()
        const { landed, rejected } = addPacked(read, context, batch)
        expect(landed + rejected).toBe(read.count + read.placements.length)
        // What comes out can be packed again, and is the same.
        const again = new EventBatch()
        addPacked(decodeBatch(encodeBatch(batch)), context, again)
        expect(contentsOf(again)).toEqual({ ...(contentsOf(batch) as object), refused: [] })
      }),
      fuzzed('bytes of packed batches'),
    )
    tellRuns('bytes of packed batches', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

const day = fc
  .array(fc.oneof(fc.constantFrom(0, 1, -1, 255, 256, 2 ** 32), fc.maxSafeInteger()), {
    minLength: STATISTIC_NAMES.length,
    maxLength: STATISTIC_NAMES.length,
  })
  .map(
    (values) =>
      Object.fromEntries(STATISTIC_NAMES.map((field, index) => [field, values[index]])) as unknown as DeviceDay,
  )

test(
  'bytes of a rollup block are at most 64 rollups of numbers, or refused; one slot is what it is in the whole',
  () => {
    const startedAt = performance.now()
    const slots = fc.array(fc.tuple(fc.nat(BLOCK_DEVICES - 1), day), { maxLength: 4 })
    const valid = fc.tuple(slots, damages).map(([days, all]) => {
      const block = emptyBlock()
      for (const [slot, rollup] of days) block[slot] = rollup
      return damaged(encodeBlock(block), all)
    })
    const fields = Object.keys(emptyDeviceDay()).sort()
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: valid }, anyBytes([2]), anyBytes([1])), (body) => {
        const block = readOrRefused(() => decodeBlock(body))
        for (let slot = 0; slot < BLOCK_DEVICES; slot++) {
          const own = readOrRefused(() => readSlot(body, slot))
          if (block !== null) expect(own).toEqual(block[slot])
          if (own !== null) expect(Object.keys(own).sort()).toEqual(fields)
          if (own !== null) expect(Object.values(own).every((value) => typeof value === 'number')).toBe(true)
        }
        expect(block === null || block.length === BLOCK_DEVICES).toBe(true)
      }),
      fuzzed('bytes of rollup blocks'),
    )
    tellRuns('bytes of rollup blocks', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
