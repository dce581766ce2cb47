import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeText, encodeText } from '../../src/base/text-bytes.ts'

/** Units at and beside the bounds of one, two and three bytes, and surrogates in any order. */
const EDGES = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffe, 0xffff]
const unit = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0x20, max: 0x7e }),
)
const id = fc.array(unit, { maxLength: 20 }).map((units) => String.fromCharCode(...units))

describe('the bytes of a device id', () => {
  test('are read back to it, whatever UTF-16 units it has', () => {
    fc.assert(
      fc.property(id, (given) => {
        expect(decodeText(encodeText(given))).toBe(given)
      }),
      { numRuns: 2000 },
    )
  })

  test('compare as its UTF-16 units do', () => {
    const pairs = fc.oneof(
      fc.tuple(id, id),
      fc.tuple(id, id, id).map(([start, one, other]): [string, string] => [start + one, start + other]),
    )
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const order = one < other ? -1 : one > other ? 1 : 0
        expect(Buffer.compare(encodeText(one), encodeText(other))).toBe(order)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['ASCII as it is', 'CLR-007 \0', '434c522d3030372000'],
    ['two bytes for each unit below U+0800', 'é\u07FF', 'c3a9dfbf'],
    ['three bytes for each unit above', '\u0800\uFFFF', 'e0a080efbfbf'],
    ['six bytes for an emoji, which is two units', '\u{1F9CA}', 'eda0beedb78a'],
    ['three bytes for a lone surrogate', '\uD83E', 'eda0be'],
    ['none for none', '', ''],
  ])('are %s', (_, given, hex) => {
    expect(encodeText(given).toString('hex')).toBe(hex)
  })

  test('are those of a whole id, when it has its most units of any kind', () => {
    for (const given of ['x'.repeat(256), '\uFFFF'.repeat(256), '\u{1F9CA}'.repeat(128)])
      expect(decodeText(encodeText(given))).toBe(given)
  })
})
