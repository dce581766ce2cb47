import fc from 'fast-check'

/**
 * JSON texts, and texts that are nearly JSON, spelled piece by piece: so that what no serialiser writes comes up too
 * (a name twice, numbers without a double, words that are none). Huge pieces stand as marks, which `expand` replaces.
 */

export const ODD_NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then', 'length'],
  ...[
    '',
    '0',
    '-1',
    '\0',
    ' deviceId',
    'deviceid',
    '\uD83E',
    '\uDDCA\uD83E',
    '\u{1F9CA}',
    '\uFEFF',
    '\u2028',
    '%',
    '$1',
  ],
]

const NUMBERS = [
  ...['0', '-0', '1', '-1', '7', '31', '1000', '10001', '0.5', '1e21', '-1e300', '1e999', '-1e999', '5e-324', '1e-999'],
  ...[
    '9007199254740991',
    '9007199254740993',
    '2147483648',
    '-2147483649',
    '123456789012345678901234567890',
    '2.0250601e7',
  ],
  ...['20250601', '20250601.0', '20250229', '10000101', '99991231', '100000000', '1715335260000', '8640000000000001'],
]

const STRINGS = ['', 'a', 'known-2', '20250601', 'true', 'null', '2025-06-01T12:00:00Z', 'Europe/Berlin', '<x 257>']

const WORDS = ['null', 'true', 'false']

const NO_JSON = [
  ...['NaN', 'Infinity', '-Infinity', 'undefined', '01', '+1', '.5', '1.', '0x1', '1_0', 'True', 'nul', "'a'", ''],
  ...[
    '{,}',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    '"',
    '1 1',
    '/**/1',
    '[1}',
    '{"a":1',
    '\u00a0',
  ],
]

/** Marks of what is too large to be printed when a test fails. */
const HUGE = ['<deep 3000>', '<deep 200000>', '<objects 50000>', '<long 1000000>', '<many 1000000>', '<names 100000>']

/** Gives the marks of a text what they stand for; `<x 9000>` is so many letters, for texts that are no JSON. */
export function expand(text: string): string {
  return text.replace(/<(deep|objects|long|many|names|x) (\d+)>/g, (_, kind: string, count: string) => {
    const size = Number(count)
    if (kind === 'x') return 'x'.repeat(size)
    if (kind === 'deep') return `${'['.repeat(size)}${']'.repeat(size)}`
    if (kind === 'objects') return `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`
    if (kind === 'long') return `"${'x'.repeat(size)}"`
    if (kind === 'many') return `[${'"a",'.repeat(size - 1)}"a"]`
    return `{${Array.from({ length: size }, (_, index) => `"${index}":0`).join(',')}}`
  })
}

const units = fc.array(fc.nat(0xffff), { maxLength: 6 }).map((all) => String.fromCharCode(...all))
const name = fc.oneof(fc.constantFrom(...ODD_NAMES), units)

const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(...STRINGS, ...ODD_NAMES).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: units.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.double().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...NO_JSON) },
)

/** Names with the texts of their values; a name may come twice. */
export type Members = [name: string, text: string][]

export const objectText = (members: Members): string =>
  `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`

export const membersOf = (value: object): Members =>
  Object.entries(value).flatMap(([key, field]): Members => {
    const text = JSON.stringify(field)
    return text === undefined ? [] : [[key, text]]
  })

const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }).map(objectText),
  ),
}))

/** A JSON text, or nearly one; in some of a hundred a huge one. */
export const jsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 200, arbitrary: json },
  { weight: 3, arbitrary: fc.constantFrom(...HUGE) },
)

interface Edit {
  kind: 'replace' | 'drop' | 'add' | 'repeat' | 'wrap' | 'rename'
  place: number
  name: string
  text: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom<Edit['kind'][]>('replace', 'replace', 'replace', 'drop', 'add', 'repeat', 'wrap', 'rename'),
  place: fc.nat(20),
  name,
  text: jsonText,
})

function edited(members: Members, { kind, place, name: other, text }: Edit): Members {
  const at = members.length === 0 ? 0 : place % members.length
  const before = members.slice(0, at)
  const after = members.slice(at + 1)
  const [key, own] = members[at] ?? [other, text]
  switch (kind) {
    case 'replace':
      return [...before, [key, text], ...after]
    case 'drop':
      return [...before, ...after]
    case 'add':
      return [...members, [other, text]]
    case 'repeat':
      return [...members, [key, text]]
    case 'wrap':
      return [...before, [key, place % 2 === 0 ? `[${own}]` : objectText([[other, own]])], ...after]
    case 'rename':
      return [...before, [other, own], ...after]
  }
}

/** As it was half of the time. */
const edits = fc.oneof(fc.constant<Edit[]>([]), fc.array(edit, { minLength: 1, maxLength: 3 }))

/** The text of an object with these members, up to three of them changed. */
export const editedObject = (members: fc.Arbitrary<Members>): fc.Arbitrary<string> =>
  fc.tuple(members, edits).map(([own, all]) => objectText(all.reduce(edited, own)))
