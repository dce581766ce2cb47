import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_DEVICES, type Block, emptyBlock } from '../../../src/store/codec/block-codec.ts'
import { type DeviceDay, emptyDeviceDay, isOpen, LASTING_STATISTICS } from '../../../src/store/device-day.ts'
import { STATISTIC_NAMES } from '../../../src/store/statistics.ts'
import { decodeBlock, encodeBlock, readSlot } from '../../helpers/read-slot.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

/** A column's values lie within one of these spreads, so that every width comes up, just at its bounds too. */
const SPREADS = [0, 1, 2 ** 8 - 1, 2 ** 8, 2 ** 16 - 1, 2 ** 16, 2 ** 32 - 1, 2 ** 32, LARGEST]

const column = fc
  .record({
    spread: fc.constantFrom(...SPREADS),
    base: fc.oneof(fc.constantFrom(0, -1, 1, -60_000, 1_715_299_200_000, -LARGEST), fc.maxSafeInteger()),
    shares: fc.array(fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 7,
      maxLength: 7,
    }),
  })
  .map(({ spread, base, shares }) => {
    const least = Math.min(base, LARGEST - spread)
    return shares.map((share) => least + Math.floor(share * spread))
  })

/** Any slots, any values; values of a column follow each other in a cycle of seven. */
const block = fc
  .tuple(
    fc.subarray(Array.from({ length: BLOCK_DEVICES }, (_, slot) => slot)),
    fc.array(column, { minLength: STATISTIC_NAMES.length, maxLength: STATISTIC_NAMES.length }),
  )
  .map(([slots, columns]): Block => {
    const filled = emptyBlock()
    for (const [index, slot] of slots.entries()) {
      const values = STATISTIC_NAMES.map((field, which) => [field, columns[which][index % 7]])
      filled[slot] = Object.fromEntries(values) as unknown as DeviceDay
    }
    return filled
  })

const dayWith = (fields: Partial<DeviceDay>): DeviceDay => ({ ...emptyDeviceDay(), ...fields })

function blockOf(...days: readonly DeviceDay[]): Block {
  const filled = emptyBlock()
  for (const [slot, day] of days.entries()) filled[slot] = day
  return filled
}

test('rollups come back as they were, whole and slot by slot', () => {
  fc.assert(
    fc.property(block, (given) => {
      const body = encodeBlock(given)
      const read = decodeBlock(body)
      expect(read).toEqual(given)
      expect(Array.from({ length: BLOCK_DEVICES }, (_, slot) => readSlot(body, slot))).toEqual(read)
    }),
    { numRuns: 150 },
  )
})

test('the same rollups are the same bytes, and those read back are again', () => {
  fc.assert(
    fc.property(block, (given) => {
      const body = encodeBlock(given)
      const copy = given.map(
        (day) => day && (Object.fromEntries(Object.entries(day).reverse()) as unknown as DeviceDay),
      )
      expect(encodeBlock(copy).equals(body)).toBe(true)
      expect(encodeBlock(decodeBlock(body)).equals(body)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test.each([
  [0, 0],
  [1, 1],
  [2 ** 8 - 1, 1],
  [2 ** 8, 2],
  [2 ** 16 - 1, 2],
  [2 ** 16, 4],
  [2 ** 32 - 1, 4],
  [2 ** 32, 8],
  [LARGEST, 8],
])('values that lie %i apart take %i bytes each', (spread, width) => {
  const least = 0 - Math.floor(spread / 2)
  const given = blockOf(dayWith({ celsiusSum: least }), dayWith({ celsiusSum: least + spread }))
  const body = encodeBlock(given)
  expect(body).toHaveLength(16 + LASTING_STATISTICS.length * 9 + 2 * width + 8)
  expect(decodeBlock(body)).toEqual(given)
})

test('values at both ends of the safe integers, in one column and in one rollup, come back', () => {
  const given = blockOf(
    dayWith({ celsiusSum: -LARGEST, lastTotal: LARGEST }),
    dayWith({ celsiusSum: LARGEST, lastTotal: -1 }),
    dayWith({ celsiusSum: 0, lastTotal: LARGEST - 1 }),
  )
  expect(decodeBlock(encodeBlock(given))).toEqual(given)
})

test('an empty block has no rollups, and the last slot holds a rollup like any other', () => {
  expect(decodeBlock(encodeBlock(emptyBlock()))).toEqual(emptyBlock())
  expect(readSlot(encodeBlock(emptyBlock()), 0)).toBe(null)
  const last = emptyBlock()
  last[BLOCK_DEVICES - 1] = dayWith({ visitors: 7 })
  expect(decodeBlock(encodeBlock(last))).toEqual(last)
  expect(readSlot(encodeBlock(last), BLOCK_DEVICES - 1)).toEqual(dayWith({ visitors: 7 }))
  expect(readSlot(encodeBlock(last), BLOCK_DEVICES - 2)).toBe(null)
})

test('a body of any other codec version is refused', () => {
  const body = encodeBlock(blockOf(dayWith({ visitors: 7 })))
  for (const version of [0, 4, 0x42, 0x82, 63]) {
    const other = Buffer.from(body)
    other[0] = version
    expect(() => decodeBlock(other)).toThrow(`version ${version}`)
    expect(() => readSlot(other, 0)).toThrow(`version ${version}`)
  }
})

test('a body of version 1, which knew no time of closing, is read as settled', () => {
  const given = blockOf(dayWith({ visitors: 7, lengthMs: 10, passedMs: 10 }), dayWith({ lengthMs: 10, passedMs: 4 }))
  const body = encodeBlock(given)
  const old = Buffer.from(body.subarray(0, body.length - 8 - 9)) // A column of equal values has a header alone.
  old[0] = 1
  expect(decodeBlock(old)).toEqual(given)
  expect(readSlot(old, 1)).toEqual(given[1])
  expect(
    decodeBlock(old)
      .map((day) => day && isOpen(day))
      .slice(0, 2),
  ).toEqual([false, true])
})

test('a body that is cut short is refused', () => {
  const body = encodeBlock(blockOf(dayWith({ visitors: 7, lastTotal: 5 }), dayWith({ lastTotal: 2 ** 40 })))
  for (let length = 0; length < body.length; length++)
    expect(() => decodeBlock(body.subarray(0, length)), `${length} bytes`).toThrow()
})
