import { ABSENT, type EventColumns, NO_SEQ, totalHigh, totalLow, totalOf } from '../../event/event-columns.ts'

/**
 * The tag of a row, one byte. Tags define which columns a compacted payload has and which rows have a value in each.
 *
 *     bits 0-2 kind    3 has a seq    4 `a` is ABSENT    5 `b` is ABSENT    6 has an address    7 first of its device
 */
export const Tag = { kind: 7, seq: 8, noA: 16, noB: 32, address: 64, first: 128 } as const

/** Columns by row; `address` is an index into the list of distinct addresses. */
export interface Fields {
  device: Int32Array
  at: Int32Array
  a: Int32Array
  b: Int32Array
  seqLow: Int32Array
  seqHigh: Int32Array
  address: Int32Array
}

export interface FieldsAndAddresses {
  fields: Fields
  /** The distinct addresses. */
  addresses: readonly string[]
}

/** The values of a field in the rows of a kind (null: of all kinds) whose tag, masked with `mask`, is `bits`. */
export interface Column {
  field: keyof Fields
  kind: number | null
  mask: number
  bits: number
}

const columnOf = (field: keyof Fields, bit: number): Column => ({ field, kind: null, mask: bit, bits: bit })
const kindColumn = (field: keyof Fields, kind: number, absent: number): Column => ({
  field,
  kind,
  mask: Tag.kind | absent,
  bits: kind,
})

/** In the order in which they are stored. Kinds are separate, as a reading is close to the previous one of its kind. */
export const COLUMNS: readonly Column[] = [
  columnOf('device', Tag.first),
  ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((kind) => [
    kindColumn('at', kind, 0),
    kindColumn('a', kind, Tag.noA),
    kindColumn('b', kind, Tag.noB),
  ]),
  columnOf('seqLow', Tag.seq),
  columnOf('seqHigh', Tag.seq),
  columnOf('address', Tag.address),
]

/** The tags that occur, and how many rows have each of the 256 tags. */
export interface TagCounts {
  tags: readonly number[]
  counts: Uint32Array
}

/** Counts the rows of each tag. */
export function countTags(tags: Uint8Array): TagCounts {
  const counts = new Uint32Array(256)
  for (let row = 0; row < tags.length; row++) counts[tags[row]]++
  const present: number[] = []
  for (let tag = 0; tag < 256; tag++) if (counts[tag] > 0) present.push(tag)
  return { tags: present, counts }
}

/** Returns how many values the column has in the counted rows. */
export function valuesIn({ mask, bits }: Column, { tags, counts }: TagCounts): number {
  let values = 0
  for (const tag of tags) if ((tag & mask) === bits) values += counts[tag]
  return values
}

/**
 * Returns a function that selects the rows of a column, ascending; its result is valid until its next call. Rows are
 * grouped by kind once, so that all columns take little more than one pass.
 */
export function rowSelector(tags: Uint8Array): (column: Column, values: number) => Int32Array {
  const all = new Int32Array(tags.length)
  for (let row = 0; row < all.length; row++) all[row] = row
  const byKind = groupByKind(tags)
  const selected = new Int32Array(tags.length)
  return ({ kind, mask, bits }, values) => {
    const candidates = kind === null ? all : byKind[kind]
    if (candidates.length === values) return candidates
    let found = 0
    for (let index = 0; index < candidates.length; index++) {
      const row = candidates[index]
      if ((tags[row] & mask) === bits) selected[found++] = row
    }
    return selected.subarray(0, found)
  }
}

function groupByKind(tags: Uint8Array): Int32Array[] {
  const starts = new Int32Array(Tag.kind + 2)
  for (let row = 0; row < tags.length; row++) starts[(tags[row] & Tag.kind) + 1]++
  for (let kind = 0; kind <= Tag.kind; kind++) starts[kind + 1] += starts[kind]
  const rows = new Int32Array(tags.length)
  const next = starts.slice()
  for (let row = 0; row < tags.length; row++) rows[next[tags[row] & Tag.kind]++] = row
  return Array.from({ length: Tag.kind + 1 }, (_, kind) => rows.subarray(starts[kind], starts[kind + 1]))
}

/** Checks columns: throws RangeError if one is shorter than `count`, and on an address of no row. */
export function checkShape({ count, device, at, kind, a, b, seq, addresses, imports }: EventColumns): void {
  for (const column of [device, at, kind, a, b, ...(seq ? [seq] : []), ...(imports ? [imports] : [])]) {
    if (column.length < count) throw new RangeError(`a column of ${column.length} values for ${count} events`)
  }
  for (const row of addresses?.keys() ?? []) {
    if (!(Number.isInteger(row) && row >= 0 && row < count)) {
      throw new RangeError(`an address of row ${row}, where there are ${count}`)
    }
  }
}

/** Returns the tags of rows. Throws RangeError if they are not sorted by device and `at`, and on a kind above 7. */
export function tagsOf({ count, device, at, kind, a, b, seq, addresses }: EventColumns): Uint8Array {
  const tags = new Uint8Array(count)
  for (let row = 0; row < count; row++) {
    const first = row === 0 || device[row] !== device[row - 1]
    if (row > 0 && (first ? device[row] < device[row - 1] : at[row] < at[row - 1])) {
      throw new RangeError(`row ${row} is not after row ${row - 1}: sort by device, then by at`)
    }
    if (kind[row] > Tag.kind) throw new RangeError(`row ${row} is of kind ${kind[row]}, above ${Tag.kind}`)
    let tag = kind[row]
    if (first) tag |= Tag.first
    if (a[row] === ABSENT) tag |= Tag.noA
    if (b[row] === ABSENT) tag |= Tag.noB
    if (seq !== null && seq[row] !== NO_SEQ) tag |= Tag.seq
    tags[row] = tag
  }
  for (const row of addresses?.keys() ?? []) tags[row] |= Tag.address
  return tags
}

/** Returns the fields and the distinct addresses of rows. Throws RangeError on an invalid `seq`. */
export function fieldsOf({ count, device, at, a, b, seq, addresses }: EventColumns): FieldsAndAddresses {
  const seqLow = new Int32Array(seq ? count : 0)
  const seqHigh = new Int32Array(seqLow.length)
  for (let row = 0; row < seqLow.length; row++) {
    const value = (seq as Float64Array)[row]
    if (value !== NO_SEQ && !(Number.isSafeInteger(value) && value >= 0)) {
      throw new RangeError(`row ${row} has a seq of ${value}: expected an integer from 0 to 2^53-1`)
    }
    seqLow[row] = totalLow(value)
    seqHigh[row] = totalHigh(value)
  }
  const address = new Int32Array(addresses ? count : 0)
  const places = new Map<string, number>()
  for (const [row, text] of addresses ?? []) {
    const place = places.get(text) ?? places.size
    places.set(text, place)
    address[row] = place
  }
  return { fields: { device, at, a, b, seqLow, seqHigh, address }, addresses: [...places.keys()] }
}

/** Makes fields to read the counted rows into. */
export function emptyFields(count: number, { tags }: TagCounts): Fields {
  const rowsWith = (bit: number): number => (tags.some((tag) => tag & bit) ? count : 0)
  return {
    device: new Int32Array(count),
    at: new Int32Array(count),
    a: new Int32Array(count).fill(ABSENT),
    b: new Int32Array(count).fill(ABSENT),
    seqLow: new Int32Array(rowsWith(Tag.seq)),
    seqHigh: new Int32Array(rowsWith(Tag.seq)),
    address: new Int32Array(rowsWith(Tag.address)),
  }
}

/** Returns the events of rows with these tags. Throws if an address is missing. */
export function eventsOf(tags: Uint8Array, { fields, addresses }: FieldsAndAddresses): Omit<EventColumns, 'imports'> {
  const count = tags.length
  const { device, at, a, b, seqLow, seqHigh, address } = fields
  const kind = new Uint8Array(count)
  const seq = seqLow.length > 0 ? new Float64Array(count).fill(NO_SEQ) : null
  const addressOf = address.length > 0 ? new Map<number, string>() : null
  for (let row = 0; row < count; row++) {
    const tag = tags[row]
    kind[row] = tag & Tag.kind
    if (!(tag & Tag.first)) device[row] = device[row - 1]
    if (seq !== null && tag & Tag.seq) seq[row] = totalOf(seqLow[row], seqHigh[row])
    if (addressOf !== null && tag & Tag.address) addressOf.set(row, addressAt(addresses, address[row]))
  }
  return { count, device, at, kind, a, b, seq, addresses: addressOf }
}

function addressAt(addresses: readonly string[], index: number): string {
  if (index in addresses) return addresses[index]
  throw new Error(`compacted events are damaged: no address ${index} of ${addresses.length}`)
}
