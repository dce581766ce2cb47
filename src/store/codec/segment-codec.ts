import { Arena } from '../../base/arena.ts'
import { type EventColumns, NO_SEQ } from '../../event/event-columns.ts'
import { decodeNarrow, encodeNarrow, NARROW_VERSION } from './narrow-codec.ts'

/**
 * A segment's body, little-endian. Segments of many events are narrow (narrow-codec.ts, version 2); the others plain:
 *
 *     byte 0 codec version (1)    byte 1 flags    bytes 4-7 count n    then the columns one after the other:
 *     device n x int32, at n x int32, a n x int32, [b n x int32], [seq n x float64], kind n x uint8, [addresses]
 *
 * Columns in brackets are present if their flag is set. `seq` starts at a multiple of 8. Addresses are JSON text: a
 * list of [row, address], well formed for any string. All events of a segment are of one import, which its row names.
 */
const VERSION = 1
const HEADER_BYTES = 8
const HAS_B = 1
const HAS_SEQ = 2
const HAS_ADDRESSES = 4

/** Events from which on a segment is narrow. A plain one of fewer events is written faster, and its waste is small. */
const NARROW_EVENTS = 512

const roundUp8 = (bytes: number): number => Math.ceil(bytes / 8) * 8

interface Layout {
  b: number
  seq: number
  kind: number
  addresses: number
}

function layoutOf(count: number, flags: number): Layout {
  const b = HEADER_BYTES + count * 12
  const afterB = b + (flags & HAS_B ? count * 4 : 0)
  const seq = flags & HAS_SEQ ? roundUp8(afterB) : afterB
  const kind = seq + (flags & HAS_SEQ ? count * 8 : 0)
  return { b, seq, kind, addresses: kind + count }
}

/**
 * Encodes columns as the body of a segment, which may lie in the arena. Many events take the fewest bytes if those of
 * each device are together. Throws RangeError on columns shorter than `count`.
 */
export function encodeSegment(columns: EventColumns, arena: Arena = new Arena()): Buffer {
  const { count } = columns
  for (const column of [columns.device, columns.at, columns.kind, columns.a, columns.b, columns.seq]) {
    if (column !== null && column.length < count)
      throw new RangeError(`a column of ${column.length} rows for ${count} events`)
  }
  return count < NARROW_EVENTS ? encodePlain(columns) : encodeNarrow(columns, arena)
}

function encodePlain(columns: EventColumns): Buffer {
  const { count, addresses } = columns
  const hasB = columns.b.subarray(0, count).some((value) => value !== 0)
  const hasSeq = columns.seq?.subarray(0, count).some((value) => value !== NO_SEQ) ?? false
  const text = addresses !== null && addresses.size > 0 ? Buffer.from(JSON.stringify([...addresses])) : null
  const flags = (hasB ? HAS_B : 0) | (hasSeq ? HAS_SEQ : 0) | (text ? HAS_ADDRESSES : 0)
  const layout = layoutOf(count, flags)
  const bytes = new ArrayBuffer(layout.addresses + (text?.length ?? 0))
  const header = new DataView(bytes)
  header.setUint8(0, VERSION)
  header.setUint8(1, flags)
  header.setUint32(4, count, true)
  new Int32Array(bytes, HEADER_BYTES, count).set(columns.device.subarray(0, count))
  new Int32Array(bytes, HEADER_BYTES + count * 4, count).set(columns.at.subarray(0, count))
  new Int32Array(bytes, HEADER_BYTES + count * 8, count).set(columns.a.subarray(0, count))
  if (hasB) new Int32Array(bytes, layout.b, count).set(columns.b.subarray(0, count))
  if (hasSeq && columns.seq) new Float64Array(bytes, layout.seq, count).set(columns.seq.subarray(0, count))
  new Uint8Array(bytes, layout.kind, count).set(columns.kind.subarray(0, count))
  if (text) new Uint8Array(bytes, layout.addresses).set(text)
  return Buffer.from(bytes)
}

/**
 * Returns the columns of a body, which may be views of its bytes or lie in the arena; `ofImport` is the number of its
 * import (0 for none).
 *
 * @throws Error if the bytes are not a segment's body
 */
export function decodeSegment(body: Buffer, ofImport = 0, arena: Arena = new Arena()): EventColumns {
  if (body[0] === NARROW_VERSION) return decodeNarrow(body, ofImport, arena)
  if (body.length < HEADER_BYTES || body[0] !== VERSION)
    throw new Error(`segment of an unknown codec version ${body[0]}`)
  const flags = body[1]
  const count = body.readUInt32LE(4)
  const layout = layoutOf(count, flags)
  if (body.length < layout.addresses) throw new Error(`segment of ${count} events is cut short at ${body.length} bytes`)
  const { buffer, byteOffset } = body.byteOffset % 8 === 0 ? body : Buffer.from(new Uint8Array(body).buffer)
  const int32 = (offset: number) => new Int32Array(buffer, byteOffset + offset, count)
  return {
    count,
    device: int32(HEADER_BYTES),
    at: int32(HEADER_BYTES + count * 4),
    a: int32(HEADER_BYTES + count * 8),
    b: flags & HAS_B ? int32(layout.b) : new Int32Array(count),
    seq: flags & HAS_SEQ ? new Float64Array(buffer, byteOffset + layout.seq, count) : null,
    kind: new Uint8Array(buffer, byteOffset + layout.kind, count),
    addresses: flags & HAS_ADDRESSES ? new Map(JSON.parse(body.toString('utf8', layout.addresses))) : null,
    imports: ofImport === 0 ? null : new Int32Array(count).fill(ofImport),
  }
}
