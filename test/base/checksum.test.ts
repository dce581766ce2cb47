import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BodyPlace, seal, unseal } from '../../src/base/checksum.ts'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((all) => {
  const body = Buffer.from(all)
  body[0] &= 0x3f // A codec version.
  return body
})
const place = fc.tuple(fc.nat(15), fc.integer({ min: -1, max: 1e6 }), fc.integer({ min: -9999, max: 99_999 }))

test('a sealed body is what it was, for its place alone', () => {
  fc.assert(
    fc.property(bytes, place, place, (body, here, there) => {
      const sealed = seal(body, here)
      expect(unseal(Buffer.from(sealed), here).equals(body)).toBe(true)
      if (String(here) === String(there)) return
      expect(() => unseal(sealed, there)).toThrow(expect.objectContaining({ code: 'store-damaged' }))
    }),
  )
})

test('a sealed body with any one bit flipped is damaged, or of a codec version that nobody has', () => {
  const here: BodyPlace = [3, 20_000, 7]
  for (const version of [1, 2, 3]) {
    const sealed = seal(Buffer.from([version, 5, 9, 1, 200, 0, 0, 17]), here)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Buffer.from(sealed)
      flipped[bit >> 3] ^= 1 << (bit & 7)
      const read = (): number => unseal(flipped, here)[0]
      if (bit === 6 || bit === 7) expect(read()).toBeGreaterThan(63)
      else expect(read, `bit ${bit}`).toThrow(/checksum|cut/)
    }
  }
})

test('a change of up to eight bytes anywhere in a long body is noticed, beyond a window of the checksum, too', () => {
  const body = Buffer.alloc(2 ** 20 + 100, 7)
  const sealed = seal(body, [1])
  expect(unseal(Buffer.from(sealed), [1]).equals(body)).toBe(true)
  for (const at of [1, 31, 4096, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 99]) {
    const changed = Buffer.from(sealed)
    changed[at] ^= 0x80
    expect(() => unseal(changed, [1]), `byte ${at}`).toThrow(/checksum|cut/)
  }
})
