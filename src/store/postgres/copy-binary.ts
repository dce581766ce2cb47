/**
 * PostgreSQL's binary COPY format (https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format"): a header, then
 * for each row the number of its fields and each field with its length, then a trailer.
 */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = SIGNATURE.length + 8
const TRAILER = -1
const NULL_LENGTH = -1
const TWO_32 = 2 ** 32

/** A message of the protocol begins with its kind and its length, which counts itself. */
const KIND_BYTES = 1
const LENGTH_BYTES = 4
const COPY_DATA = 'd'.charCodeAt(0)
const COPY_DONE = 'c'.charCodeAt(0)

/** The types of columns that are written. */
export type ColumnType = 'int4' | 'int8' | 'bytea'

/** A value of a row to write, of its column's type. */
export type ColumnValue = number | Buffer

const BYTES = { int4: 4, int8: 8 } as const

/**
 * Encodes rows as the messages that a client sends for them, the last of which says that there are no more. Each row has
 * a value for each type.
 */
export function encodeRows(types: readonly ColumnType[], rows: readonly (readonly ColumnValue[])[]): Buffer {
  const out = new MessageWriter(messageBytes(types, rows))
  out.begin(COPY_DATA)
  out.bytes(SIGNATURE)
  out.int4(0)
  out.int4(0)
  for (const row of rows) {
    out.int2(types.length)
    for (let field = 0; field < types.length; field++) out.field(types[field], row[field])
  }
  out.int2(TRAILER)
  out.end()
  out.begin(COPY_DONE)
  out.end()
  return out.buffer
}

function messageBytes(types: readonly ColumnType[], rows: readonly (readonly ColumnValue[])[]): number {
  let bytes = 2 * (KIND_BYTES + LENGTH_BYTES) + HEADER_BYTES + 2
  for (const row of rows) {
    bytes += 2 + types.length * LENGTH_BYTES
    for (let field = 0; field < types.length; field++) {
      const type = types[field]
      bytes += type === 'bytea' ? (row[field] as Buffer).length : BYTES[type]
    }
  }
  return bytes
}

class MessageWriter {
  readonly buffer: Buffer
  #at = 0
  #began = 0

  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafe(bytes)
  }

  begin(kind: number): void {
    this.buffer[this.#at] = kind
    this.#began = this.#at + KIND_BYTES
    this.#at = this.#began + LENGTH_BYTES
  }

  end(): void {
    this.buffer.writeInt32BE(this.#at - this.#began, this.#began)
  }

  int2(value: number): void {
    this.#at = this.buffer.writeInt16BE(value, this.#at)
  }

  int4(value: number): void {
    this.#at = this.buffer.writeInt32BE(value, this.#at)
  }

  bytes(bytes: Buffer): void {
    this.#at += bytes.copy(this.buffer, this.#at)
  }

  field(type: ColumnType, value: ColumnValue): void {
    if (type === 'bytea') {
      this.int4((value as Buffer).length)
      this.bytes(value as Buffer)
      return
    }
    const integer = value as number
    if (!Number.isSafeInteger(integer)) throw new RangeError(`${integer} is no integer`)
    this.int4(BYTES[type])
    if (type === 'int8') this.int4(Math.floor(integer / TWO_32))
    if (type === 'int8') this.#at = this.buffer.writeUInt32BE(integer - Math.floor(integer / TWO_32) * TWO_32, this.#at)
    else this.int4(integer)
  }
}

/** A row that has been read; it is valid until the next one. */
export class CopiedRow {
  #bytes: Buffer = SIGNATURE
  readonly #starts: number[] = []
  readonly #lengths: number[] = []

  /** Turns to the row that begins at `from`. Returns where it ends, or -1 for the trailer. */
  read(bytes: Buffer, from: number): number {
    const fields = bytes.readInt16BE(from)
    let at = from + 2
    for (let field = 0; field < fields; field++) {
      const length = bytes.readInt32BE(at)
      this.#starts[field] = at + LENGTH_BYTES
      this.#lengths[field] = length
      at += LENGTH_BYTES + Math.max(0, length)
    }
    if (at > bytes.length) throw new RangeError('a row of COPY is cut short')
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

  /** Returns a copy of the bytes of a field. */
  bytes(field: number): Buffer {
    return Buffer.from(this.view(field))
  }

  /** Returns the bytes of a field, which the next row may overwrite. */
  view(field: number): Buffer {
    return this.#bytes.subarray(this.#starts[field], this.#starts[field] + this.#lengths[field])
  }

  text(field: number): string {
    return this.view(field).toString('utf8')
  }
}

/** Decodes rows from the messages in which they arrive: the server sends each row in one of its own. */
export class RowDecoder {
  readonly #take: (row: CopiedRow) => void
  readonly #row = new CopiedRow()
  #isBegun = false

  constructor(take: (row: CopiedRow) => void) {
    this.#take = take
  }

  add(message: Buffer): void {
    let at = 0
    if (!this.#isBegun) {
      at = HEADER_BYTES + message.readInt32BE(HEADER_BYTES - LENGTH_BYTES)
      this.#isBegun = true
    }
    while (at < message.length) {
      at = this.#row.read(message, at)
      if (at < 0) return
      this.#take(this.#row)
    }
  }
}
