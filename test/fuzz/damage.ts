import fc from 'fast-check'

/** One change to some bytes; `place` is taken modulo their length. */
export interface Damage {
  kind: 'flip' | 'set' | 'insert' | 'delete' | 'cut' | 'double' | 'swap'
  place: number
  bytes: readonly number[]
}

/** Bytes that no UTF-8 has, a byte order mark, those that JSON gives a meaning, and any. */
const INSERTED = [
  [0xff],
  [0xc3],
  [0xed, 0xa0, 0x80],
  [0xc0, 0xaf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xef, 0xbb, 0xbf],
  [0],
  [0x0a],
  [0xe2, 0x80, 0xa8],
]
const JSON_BYTES = [...Buffer.from('{}[]":,\\ \t\r\n0123456789.-+eEtrufalsn')].map((byte) => [byte])

export const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom<Damage['kind'][]>('flip', 'set', 'insert', 'insert', 'delete', 'cut', 'double', 'swap'),
  place: fc.nat(1_000_000),
  bytes: fc.oneof(
    fc.constantFrom(...INSERTED),
    fc.constantFrom(...JSON_BYTES),
    fc.nat(255).map((byte) => [byte]),
  ),
})

/** None most of the time. */
export const damages = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Damage[]>([]) },
  { weight: 1, arbitrary: fc.array(damage, { minLength: 1, maxLength: 3 }) },
)

export const damaged = (bytes: Buffer, all: readonly Damage[]): Buffer => all.reduce(damagedOnce, bytes)

function damagedOnce(bytes: Buffer, { kind, place, bytes: given }: Damage): Buffer {
  const at = bytes.length === 0 ? 0 : place % bytes.length
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at)
  const own = after[0] ?? 0
  switch (kind) {
    case 'cut':
      return before
    case 'insert':
      return Buffer.concat([before, Buffer.from(given), after])
    case 'delete':
      return Buffer.concat([before, after.subarray(given.length)])
    case 'set':
      return Buffer.concat([before, Buffer.from(given), after.subarray(given.length)])
    case 'flip':
      return Buffer.concat([before, Buffer.of(own ^ (1 << ((given[0] ?? 0) & 7))), after.subarray(1)])
    case 'double':
      return Buffer.concat([bytes, after])
    case 'swap':
      return Buffer.concat([after, before])
  }
}
