import { writeFileSync } from 'node:fs'
import { EARLIEST_AT } from '../../event/check-event.ts'
import {
  COMMON_FIELDS,
  EVENT_FIELDS,
  EVENT_TYPES,
  FIELDS_BY_NAME,
  KINDS,
  MAX_ID_UNITS,
  WORST_ACCURACY,
} from '../../event/fields.ts'

/**
 * What the scanner knows of events, as AssemblyScript: numbers of fields, types and kinds, the comparisons that find a
 * name, and bounds. It is rendered from the statement of the fields, since a WebAssembly module cannot import that.
 */

const FIELDS = [...COMMON_FIELDS, ...Object.keys(FIELDS_BY_NAME)]
const FIELDS_MODULE = './fields'
const RENDERED = '// Rendered from event/fields.ts by scan/render-scanner.ts: not to be edited.'

/** `deviceId` is DEVICE_ID. */
const constantName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const numbered = (names: readonly string[]): string[] =>
  names.map((name, index) => `export const ${constantName(name)} = ${index + 1}`)

/** The text of scanner/fields.ts, which the host reads, too. */
export function renderFields(): string {
  return [
    RENDERED,
    '',
    '// The fields that an event may have, numbered; OTHER is any that is ignored.',
    'export const OTHER = 0',
    ...numbered(FIELDS),
    `export const FIELDS = ${FIELDS.length + 1}`,
    '',
  ].join('\n')
}

/** Writes scanner/event-tables.ts: the build does so before it compiles the scanner. */
export const writeTables = (): void => writeFileSync('src/ingest/scanner/event-tables.ts', renderTables())

/** The text of scanner/event-tables.ts. */
function renderTables(): string {
  return `${RENDERED}

import {
${['OTHER', ...FIELDS.map(constantName)]
  .sort()
  .map((name) => `  ${name},`)
  .join('\n')}
} from '${FIELDS_MODULE}'

/** Bytes of the names of the fields, by number. */
export const FIELD_LENGTHS: usize = memory.data<u8>([0, ${FIELDS.map((name) => name.length).join(', ')}])

/** The types of events, numbered; NO_TYPE is any that is rejected. */
export const NO_TYPE = 0
${numbered(EVENT_TYPES).join('\n')}

/** Bytes of the names of the types, by number. */
export const TYPE_LENGTHS: usize = memory.data<u8>([0, ${EVENT_TYPES.map((name) => name.length).join(', ')}])

// The kinds of columns.
${Object.entries(KINDS)
  .map(([name, { number }]) => `export const KIND_${constantName(name)}: u8 = ${number}`)
  .join('\n')}

// Bounds, in the units of the fields; of texts in bytes, since those with more are left to the host.
${Object.entries(boundsOfFields())
  .map(([name, value]) => `export const ${name} = ${value}`)
  .join('\n')}

// Names are compared up to eight bytes at a time, as little-endian integers, together with the quote that ends them: in
// such a number the first byte stands last.

/** Returns the field whose name begins at \`from\`, behind the quote. */
export function fieldAt(from: usize): i32 {
${finder(FIELDS, 'OTHER')}
}

/** Returns the type whose name begins at \`from\`, behind the quote. */
export function typeAt(from: usize): i32 {
${finder(EVENT_TYPES, 'NO_TYPE')}
}
`
}

function boundsOfFields(): Record<string, string> {
  const { door, temperature, visitor, placement } = EVENT_FIELDS
  const ranges = {
    CELSIUS: temperature.fields.celsius,
    LATITUDE: placement.fields.lat,
    LONGITUDE: placement.fields.lon,
    DOOR_COUNT: door.fields.count,
    VISITOR_COUNT: visitor.fields.count,
    VISITOR_TOTAL: visitor.fields.total,
  }
  const entries = Object.entries(ranges).flatMap(([name, { min, max }]) => [
    [`${name}_MIN: f64`, min],
    [`${name}_MAX: f64`, max],
  ])
  return Object.fromEntries([
    ...entries,
    ['READING_SCALE: f64', temperature.fields.celsius.scale],
    ['POSITION_SCALE: f64', placement.fields.lat.scale],
    ['WORST_ACCURACY: f64', WORST_ACCURACY],
    ['SAFE_INTEGER: f64', Number.MAX_SAFE_INTEGER],
    ['EARLIEST_AT: f64', EARLIEST_AT],
    ['ID_BYTES_MAX: i32', MAX_ID_UNITS],
    ['ADDRESS_BYTES_MAX: i32', placement.optional.address.maxUnits],
  ])
}

/** Renders statements that return the constant of the name that begins at `from`. */
function finder(names: readonly string[], none: string): string {
  const ofLength = (length: number) => names.filter((name) => name.length === length)
  if (ofLength(1).length > 0) throw new TypeError('a name of one letter cannot be found')
  const heads = new Map<string, string[]>()
  for (const name of names.filter(({ length }) => length > 3))
    heads.set(name.slice(0, 4), [...(heads.get(name.slice(0, 4)) ?? []), name])
  return [
    '  const head = load<u32>(from)',
    ...ofLength(2).map((name) => `  if ((head & 0xffffff) === ${hex(`${name}"`)}) return ${constantName(name)}`),
    '  switch (head) {',
    ...ofLength(3).flatMap((name) => [`    case ${hex(`${name}"`)}: // ${name}`, `      return ${constantName(name)}`]),
    ...[...heads].flatMap(([head, those]) => [
      `    case ${hex(head)}: // ${those.join(', ')}`,
      `      return ${those.map((name) => `${restOf(`${name}"`)} ? ${constantName(name)} : `).join('')}${none}`,
    ]),
    '    default:',
    `      return ${none}`,
    '  }',
  ].join('\n')
}

/** Compares what comes after the first four bytes of a text. */
function restOf(text: string): string {
  const comparisons: string[] = []
  for (let start = 4; start < text.length; ) {
    const size = [8, 4, 2, 1].find((one) => one <= text.length - start) as number
    comparisons.push(`load<u${size * 8}>(from, ${start}) === ${hex(text.slice(start, start + size))}`)
    start += size
  }
  return comparisons.join(' && ')
}

const hex = (text: string): string => `0x${Buffer.from(text).reverse().toString('hex')}`
