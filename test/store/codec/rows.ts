import fc from 'fast-check'
import { type EventColumns, NO_SEQ } from '../../../src/event/event-columns.ts'

/** An event as a row; EventColumns holds the same by columns. */
export interface Row {
  device: number
  at: number
  kind: number
  a: number
  b: number
  seq: number
  address: string | undefined
  /** The import that the event is of; 0 or left out: of none. */
  ofImport?: number | undefined
}

/** Any UTF-16 units in any order: lone surrogates and NUL too. */
const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((all) => String.fromCharCode(...all))

/** Texts of an address. */
export const addressText = fc.oneof(
  fc.constantFrom('', '\u{1F9CA}', '\uD83E', '\uDDCA\uD83E', '\0', '"\\', '__proto__'),
  units,
)

/** Returns rows as columns, which are `spare` longer than the rows. Columns that may be left out are, if empty. */
export function columnsOf(all: readonly Row[], spare = 0): EventColumns {
  const size = all.length + spare
  const filled = <Column extends Int32Array | Uint8Array | Float64Array>(column: Column, field: keyof Row): Column => {
    column.fill(7)
    for (const [index, one] of all.entries()) column[index] = (one[field] ?? 0) as number
    return column
  }
  const addresses = all.flatMap(({ address }, index) => (address === undefined ? [] : [[index, address] as const]))
  return {
    count: all.length,
    device: filled(new Int32Array(size), 'device'),
    at: filled(new Int32Array(size), 'at'),
    kind: filled(new Uint8Array(size), 'kind'),
    a: filled(new Int32Array(size), 'a'),
    b: filled(new Int32Array(size), 'b'),
    seq: all.some(({ seq }) => seq !== NO_SEQ) ? filled(new Float64Array(size), 'seq') : null,
    addresses: addresses.length > 0 ? new Map(addresses) : null,
    imports: all.some(({ ofImport = 0 }) => ofImport !== 0) ? filled(new Int32Array(size), 'ofImport') : null,
  }
}
