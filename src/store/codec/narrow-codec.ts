import type { Arena } from '../../base/arena.ts'
import { ABSENT, type EventColumns, NO_SEQ, totalHigh, totalLow, totalOf } from '../../event/event-columns.ts'
import { Tag } from './compact-columns.ts'
import { maxBytesOf, readColumn, roundUp4, writeColumn } from './narrow-column.ts'

/**
 * The body of a segment with many events, little-endian; every part starts at a multiple of 4 bytes:
 *
 *     byte 0 codec version (2)    byte 1 whether there are addresses    bytes 4-7 count n    bytes 8-11 runs r
 *     n x uint8 tag    then columns (narrow-column.ts): device of each run, rows of each run, `at` of each row,
 *     `a` and then `b` of each kind, low and then high half of `seq`    [addresses]
 *
 * A run is a number of rows of one device; a segment with the events of each device together has few. Tags (compact-columns.ts, without `first`
 * and `address`) say which rows have a value in a column; a column without values is left out. Addresses are JSON text as
 * in a plain segment (segment-codec.ts). A simulated event takes about 7 bytes.
 */
export const NARROW_VERSION = 2
const HEADER_BYTES = 12
const KINDS = Tag.kind + 1

/** Encodes columns, in any order, into memory of the arena. Throws RangeError on a kind above 7. */
export function encodeNarrow(columns: EventColumns, arena: Arena): Buffer {
  const { count, addresses } = columns
  const tags = tagsOf(columns, arena)
  const counts = new TagCounts(tags)
  const runs = runsOf(columns, arena)
  const a = valuesByKind(columns.a, tags, counts.startsOf(Tag.noA), Tag.noA, arena)
  const b = valuesByKind(columns.b, tags, counts.startsOf(Tag.noB), Tag.noB, arena)
  const all = [...runs, columns.at.subarray(0, count), ...[...a, ...b, ...seqOf(columns)].filter(isUsed)]
  const text = addresses !== null && addresses.size > 0 ? Buffer.from(JSON.stringify([...addresses])) : Buffer.alloc(0)
  const start = HEADER_BYTES + roundUp4(count)
  const body = arena.uint8(all.reduce((bytes, column) => bytes + maxBytesOf(column.length), start + text.length))
  body.fill(0, 0, HEADER_BYTES)
  body[0] = NARROW_VERSION
  body[1] = text.length > 0 ? 1 : 0
  new Uint32Array(body.buffer, body.byteOffset + 4, 2).set([count, runs[0].length])
  body.set(tags, HEADER_BYTES)
  body.fill(0, HEADER_BYTES + count, start)
  const scratch = arena.int32(count)
  let end = start
  for (const column of all) end = writeColumn(body, end, column, scratch)
  body.set(text, end)
  return Buffer.from(body.buffer, body.byteOffset, end + text.length)
}

const isUsed = ({ length }: Int32Array): boolean => length > 0

function tagsOf({ count, kind, a, b, seq }: EventColumns, arena: Arena): Uint8Array {
  const tags = arena.uint8(count)
  for (let row = 0; row < count; row++) {
    if (kind[row] > Tag.kind) throw new RangeError(`row ${row} is of kind ${kind[row]}, above ${Tag.kind}`)
    let tag = kind[row]
    if (a[row] === ABSENT) tag |= Tag.noA
    if (b[row] === ABSENT) tag |= Tag.noB
    if (seq !== null && seq[row] !== NO_SEQ) tag |= Tag.seq
    tags[row] = tag
  }
  return tags
}

/** Returns the device of each run, and the rows of each run. */
function runsOf({ count, device }: EventColumns, arena: Arena): [devices: Int32Array, lengths: Int32Array] {
  const devices = arena.int32(count)
  const lengths = arena.int32(count)
  let run = -1
  for (let row = 0; row < count; row++) {
    if (run >= 0 && device[row] === devices[run]) {
      lengths[run]++
      continue
    }
    devices[++run] = device[row]
    lengths[run] = 1
  }
  return [devices.subarray(0, run + 1), lengths.subarray(0, run + 1)]
}

/** How many rows have each tag. */
class TagCounts {
  readonly #rows = new Int32Array(256)

  constructor(tags: Uint8Array) {
    for (let row = 0; row < tags.length; row++) this.#rows[tags[row]]++
  }

  having(mask: number, bits: number): number {
    return this.#rows.reduce((sum, rows, tag) => ((tag & mask) === bits ? sum + rows : sum), 0)
  }

  /** Returns where the values of each kind begin if they lie one kind after another, and where the last ends. */
  startsOf(absent: number): Int32Array {
    const starts = new Int32Array(KINDS + 1)
    for (let kind = 0; kind < KINDS; kind++) starts[kind + 1] = starts[kind] + this.having(Tag.kind | absent, kind)
    return starts
  }
}

/** Returns the values of each kind, in the order of the rows. */
function valuesByKind(
  values: Int32Array,
  tags: Uint8Array,
  starts: Int32Array,
  absent: number,
  arena: Arena,
): Int32Array[] {
  const into = arena.int32(starts[KINDS])
  const next = starts.slice()
  for (let row = 0; row < tags.length; row++) {
    const tag = tags[row]
    if ((tag & absent) === 0) into[next[tag & Tag.kind]++] = values[row]
  }
  return ofKinds(into, starts)
}

const ofKinds = (values: Int32Array, starts: Int32Array): Int32Array[] =>
  Array.from({ length: KINDS }, (_, kind) => values.subarray(starts[kind], starts[kind + 1]))

/** Returns the low and the high halves of every `seq`. */
function seqOf({ seq, count }: EventColumns): Int32Array[] {
  if (seq === null) return []
  const values = seq.subarray(0, count).filter((value) => value !== NO_SEQ)
  return [Int32Array.from(values, totalLow), Int32Array.from(values, totalHigh)]
}

/**
 * Returns the columns of a body, in memory of the arena; `ofImport` is the number of its import (0 for none).
 *
 * @throws Error if the bytes are not the narrow body of a segment
 */
export function decodeNarrow(body: Buffer, ofImport: number, arena: Arena): EventColumns {
  const bytes = body.byteOffset % 4 === 0 ? body : new Uint8Array(body)
  if (bytes.length < HEADER_BYTES) throw new Error(`segment cut short at ${bytes.length} bytes`)
  const [count, runs] = new Uint32Array(bytes.buffer, bytes.byteOffset + 4, 2)
  let end = HEADER_BYTES + roundUp4(count)
  if (runs > count || end > bytes.length) throw new Error(`segment of ${count} events and ${runs} runs is cut short`)
  const tags = bytes.subarray(HEADER_BYTES, HEADER_BYTES + count)
  const read = (values: Int32Array): Int32Array => {
    end = readColumn(bytes, end, values)
    return values
  }
  const device = deviceOf(read(arena.int32(runs)), read(arena.int32(runs)), arena.int32(count))
  const at = read(arena.int32(count))
  const counts = new TagCounts(tags)
  const readByKind = (absent: number): Int32Array => {
    const starts = counts.startsOf(absent)
    const values = arena.int32(starts[KINDS])
    ofKinds(values, starts).filter(isUsed).forEach(read)
    return valuesOfRows(tags, values, starts, absent, arena)
  }
  const a = readByKind(Tag.noA)
  const b = readByKind(Tag.noB)
  const withSeq = counts.having(Tag.seq, Tag.seq)
  const seq = withSeq === 0 ? null : seqOfRows(tags, read(new Int32Array(withSeq)), read(new Int32Array(withSeq)))
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + end, bytes.length - end)
  const addresses = bytes[1] === 0 ? null : new Map<number, string>(JSON.parse(text.toString()))
  const imports = ofImport === 0 ? null : new Int32Array(count).fill(ofImport)
  return { count, device, at, kind: kindOf(tags, arena), a, b, seq, addresses, imports }
}

function deviceOf(devices: Int32Array, lengths: Int32Array, device: Int32Array): Int32Array {
  let row = 0
  for (let run = 0; run < lengths.length; run++) {
    const next = row + lengths[run]
    if (next <= row || next > device.length) throw new Error(`run ${run} of a segment has ${lengths[run]} rows`)
    for (const number = devices[run]; row < next; row++) device[row] = number
  }
  if (row < device.length) throw new Error(`the runs of a segment have ${row} rows, expected ${device.length}`)
  return device
}

function kindOf(tags: Uint8Array, arena: Arena): Uint8Array {
  const kind = arena.uint8(tags.length)
  for (let row = 0; row < tags.length; row++) kind[row] = tags[row] & Tag.kind
  return kind
}

function valuesOfRows(
  tags: Uint8Array,
  byKind: Int32Array,
  starts: Int32Array,
  absent: number,
  arena: Arena,
): Int32Array {
  const values = arena.int32(tags.length)
  const next = starts.slice()
  for (let row = 0; row < tags.length; row++) {
    const tag = tags[row]
    values[row] = tag & absent ? ABSENT : byKind[next[tag & Tag.kind]++]
  }
  return values
}

function seqOfRows(tags: Uint8Array, low: Int32Array, high: Int32Array): Float64Array {
  const seq = new Float64Array(tags.length).fill(NO_SEQ)
  let next = 0
  for (let row = 0; row < tags.length; row++) {
    if ((tags[row] & Tag.seq) === 0) continue
    seq[row] = totalOf(low[next], high[next])
    next++
  }
  return seq
}
