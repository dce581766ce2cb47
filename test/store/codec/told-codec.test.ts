import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeMessage, encodeMessage } from '../../../src/store/codec/message-codec.ts'
import { decodeTold, encodeTold } from '../../../src/store/codec/told-codec.ts'

const damaged = expect.objectContaining({ code: 'store-damaged' })

const place = fc.record({ shard: fc.nat(15), day: fc.nat(30_000), subscription: fc.string() })
const bits = fc.uniqueArray(fc.tuple(fc.nat(2 ** 24), fc.integer({ min: 1, max: 255 })), {
  selector: ([local]) => local,
  maxLength: 20,
})

test('what was told is read as it was written, in its own place only; each flipped bit is noticed', () => {
  fc.assert(
    fc.property(place, bits, (of, told) => {
      const byDevice = new Map(told.map(([local, bit]) => [local * 16 + of.shard, bit]))
      const stored = encodeTold(byDevice, of, 16)
      expect(decodeTold(Buffer.from(stored), of, 16)).toEqual(byDevice)
      for (const other of [{ day: of.day + 1 }, { shard: of.shard + 1 }, { subscription: `${of.subscription}x` }])
        expect(() => decodeTold(Buffer.from(stored), { ...of, ...other }, 16)).toThrow(damaged)
      for (const flipped of flips(stored)) expect(() => decodeTold(flipped, of, 16)).toThrow(damaged)
    }),
    { numRuns: 30 },
  )
})

test('a message is read as it was written, by its own id only; each flipped bit is noticed', () => {
  const json = JSON.stringify({ type: 'test', text: 'half \ud800, NUL \0, \u{1f9ca}' })
  const stored = encodeMessage(json, 'msg_1')
  expect(decodeMessage(Buffer.from(stored), 'msg_1')).toBe(json)
  expect(() => decodeMessage(Buffer.from(stored), 'msg_2')).toThrow(damaged)
  for (const flipped of flips(stored)) expect(() => decodeMessage(flipped, 'msg_1')).toThrow(damaged)
})

test('bodies that are cut are damaged', () => {
  const of = { shard: 0, day: 1, subscription: 'one' }
  const told = encodeTold(new Map([[16, 1]]), of, 16)
  const message = encodeMessage('{"type":"test"}', 'msg_1')
  for (let length = 0; length < told.length; length++)
    expect(() => decodeTold(Buffer.from(told.subarray(0, length)), of, 16)).toThrow(damaged)
  for (let length = 0; length < message.length; length++)
    expect(() => decodeMessage(Buffer.from(message.subarray(0, length)), 'msg_1')).toThrow(damaged)
})

function* flips(stored: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < stored.length * 8; bit++) {
    const flipped = Buffer.from(stored)
    flipped[bit >> 3] ^= 1 << (bit & 7)
    yield flipped
  }
}
