/**
 * PostgreSQL's binary COPY format (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format"): a header, then
 * for each row the number of its fields and each field with its length, then a trailer.
 */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = SIGNATURE.length + 8
const TRAILER = Buffer.from([0xff, 0xff])
const NULL_LENGTH = -1
const TWO_32 = 2 ** 32

/** The types of columns that are written. */
export type ColumnType = 'int4' | 'int8' | 'bytea'

/** A value of a row to write, of its column's type. */
export type ColumnValue = number | Buffer

/** Encodes rows; each has a value for each type. */
export function encodeRows(types: readonly ColumnType[], rows: readonly (readonly ColumnValue[])[]): Buffer {
  const parts: Buffer[] = [SIGNATURE, Buffer.alloc(8)]
  for (const row of rows) {
    const count = Buffer.alloc(2)
    count.writeInt16BE(types.length)
    parts.push(count)
    for (const [index, type] of types.entries()) parts.push(...encodeField(type, row[index]))
  }
  parts.push(TRAILER)
  return Buffer.concat(parts)
}

function encodeField(type: ColumnType, value: ColumnValue): Buffer[] {
  if (Buffer.isBuffer(value)) {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value.length)
    return [length, value]
  }
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer`)
  const bytes = Buffer.alloc(type === 'int8' ? 12 : 8)
  bytes.writeInt32BE(bytes.length - 4)
  if (type === 'int8') {
    bytes.writeInt32BE(Math.floor(value / TWO_32), 4)
    bytes.writeUInt32BE(value - Math.floor(value / TWO_32) * TWO_32, 8)
  } else {
    bytes.writeInt32BE(value, 4)
  }
  return [bytes]
}

/** A row that has been read. It is valid until the next one; the bytes of its fields stay valid. */
export class CopiedRow {
  #bytes: Buffer = TRAILER
  readonly #starts: number[] = []
  readonly #lengths: number[] = []

  /**
   * Turns to the row that begins at `from`. Returns where it ends, or -1 if it is not complete, or is the trailer.
   */
  read(bytes: Buffer, from: number): number {
    if (from + 2 > bytes.length) return -1
    const fields = bytes.readInt16BE(from)
    let at = from + 2
    for (let field = 0; field < fields; field++) {
      if (at + 4 > bytes.length) return -1
      const length = bytes.readInt32BE(at)
      this.#starts[field] = at + 4
      this.#lengths[field] = length
      at += 4 + Math.max(0, length)
      if (at > bytes.length) return -1
    }
    this.#bytes = bytes
    return fields < 0 ? -1 : at
  }

  isNull(field: number): boolean {
    return this.#lengths[field] === NULL_LENGTH
  }

  /** Returns the integer in a field of type int2, int4 or int8. */
  int(field: number): number {
    const start = this.#starts[field]
    const length = this.#lengths[field]
    if (length === 4) return this.#bytes.readInt32BE(start)
    if (length === 8) return this.#bytes.readInt32BE(start) * TWO_32 + this.#bytes.readUInt32BE(start + 4)
    return this.#bytes.readInt16BE(start)
  }

  intOrNull(field: number): number | null {
    return this.isNull(field) ? null : this.int(field)
  }

  bytes(field: number): Buffer {
    return this.#bytes.subarray(this.#starts[field], this.#starts[field] + this.#lengths[field])
  }

  text(field: number): string {
    return this.bytes(field).toString('utf8')
  }
}

/** Decodes rows from the pieces in which they arrive. */
export class RowDecoder {
  readonly #take: (row: CopiedRow) => void
  readonly #row = new CopiedRow()
  #pieces: Buffer[] = []
  #isBegun = false

  constructor(take: (row: CopiedRow) => void) {
    this.#take = take
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    const bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    let at = 0
    if (!this.#isBegun) {
      if (bytes.length < HEADER_BYTES) {
        this.#keep(bytes)
        return
      }
      at = HEADER_BYTES + bytes.readInt32BE(HEADER_BYTES - 4)
      this.#isBegun = true
    }
    for (let end = this.#row.read(bytes, at); end >= 0; end = this.#row.read(bytes, at)) {
      this.#take(this.#row)
      at = end
    }
    this.#keep(bytes.subarray(at))
  }

  #keep(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest]
  }
}
