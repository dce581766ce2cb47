import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads the names of the tables from a SQLite file itself (https://sqlite.org/fileformat2.html), as of its last
 * checkpoint. SQLite itself could not do that without writing: it creates locks and a log next to the file.
 */

const FILE_HEADER_BYTES = 100
const INTERIOR = 0x05
const LEAF = 0x0d
/** A schema with more pages is not ours; the limit also ends a walk through pages that point at each other. */
const MOST_PAGES = 1000

/** Returns the names of all tables, or null where the pages cannot be read as a schema. */
export function tablesOf(file: string): string[] | null {
  const descriptor = openSync(file, 'r')
  try {
    const header = Buffer.alloc(FILE_HEADER_BYTES)
    readSync(descriptor, header, 0, FILE_HEADER_BYTES, 0)
    const size = header.readUInt16BE(16)
    const pageBytes = size === 1 ? 65_536 : size
    const readPage = (page: number): Buffer => {
      const bytes = Buffer.alloc(pageBytes)
      readSync(descriptor, bytes, 0, pageBytes, (page - 1) * pageBytes)
      return bytes
    }
    return namesIn(readPage)
  } catch (error) {
    if (error instanceof RangeError) return null // A page that points outside itself.
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function namesIn(readPage: (page: number) => Buffer): string[] | null {
  const names: string[] = []
  const left = [1]
  for (let read = 0; left.length > 0; read++) {
    const page = left.pop() as number
    if (read === MOST_PAGES || page === 0) return null
    const bytes = readPage(page)
    const start = page === 1 ? FILE_HEADER_BYTES : 0
    const kind = bytes[start]
    if (kind !== LEAF && kind !== INTERIOR) return null
    const cells = bytes.readUInt16BE(start + 3)
    const pointers = start + (kind === LEAF ? 8 : 12)
    if (kind === INTERIOR) left.push(bytes.readUInt32BE(start + 8))
    for (let cell = 0; cell < cells; cell++) {
      const at = bytes.readUInt16BE(pointers + 2 * cell)
      if (kind === INTERIOR) left.push(bytes.readUInt32BE(at))
      else names.push(...tableIn(bytes, at))
    }
  }
  return names
}

/** Returns the name in a row of sqlite_schema if it is a table. Type and name, its first columns, are on the page. */
function tableIn(bytes: Buffer, cell: number): string[] {
  const [, afterLength] = varint(bytes, cell)
  const [, record] = varint(bytes, afterLength)
  const [headerBytes, types] = varint(bytes, record)
  const [typeOfType, next] = varint(bytes, types)
  const [typeOfName] = varint(bytes, next)
  const type = record + headerBytes
  const name = type + textBytes(typeOfType)
  const end = name + textBytes(typeOfName)
  if (end > bytes.length) throw new RangeError('a record beyond its page')
  return bytes.toString('utf8', type, name) === 'table' ? [bytes.toString('utf8', name, end)] : []
}

const textBytes = (serialType: number): number => (serialType >= 13 ? (serialType - 13) >> 1 : 0)

/** Returns the value and where it ends; for values of up to 4 bytes, such as all lengths and types here. */
function varint(bytes: Buffer, from: number): [value: number, end: number] {
  let value = 0
  for (let at = from; at < from + 9; at++) {
    const byte = bytes.readUInt8(at)
    value = (value << 7) | (byte & 0x7f)
    if (byte < 0x80) return [value, at + 1]
  }
  throw new RangeError('a number that does not end')
}
