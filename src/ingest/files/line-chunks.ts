import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Chunks are cut at line ends near this size. */
export const CHUNK_BYTES = 1024 * 1024
/** A line without an end is cut at this length, so that it cannot fill the memory; its parts are rejected. */
export const LONGEST_LINE_BYTES = 16 * 1024 * 1024

const LINE_FEED = 0x0a
const GZIP_MAGIC = [0x1f, 0x8b]

/** Reads a file (`-` is standard input) in chunks as lineChunks does. Unpacks gzip, whatever the file's name is. */
export function openLines(path: string, onBytes: (bytes: number) => void = () => {}): AsyncIterable<Buffer> {
  const source: Readable = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES })
  return lineChunks(unpacked(source, onBytes))
}

/** Tells whether a file is gzip, by its first bytes. */
export async function isPacked(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0)
    return startsPacked(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

const startsPacked = (bytes: Buffer): boolean => GZIP_MAGIC.every((byte, index) => bytes[index] === byte)

async function* unpacked(source: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const counted = counting(source, onBytes)
  const head = await readHead(counted)
  const rest = prepend(head, counted)
  if (!startsPacked(head)) {
    yield* rest
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // A read error must end the unpacking, too. pipeline() is not used because it would also close standard input.
  void feed(rest, gunzip).catch((error) => gunzip.destroy(error))
  yield* gunzip as AsyncIterable<Buffer>
}

/** Reads chunks until there are enough bytes to tell gzip by: a pipe may deliver them one by one. */
async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < GZIP_MAGIC.length) {
    const next = await chunks.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  return head
}

async function feed(chunks: AsyncIterable<Buffer>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  for await (const chunk of chunks) {
    if (!gunzip.write(chunk)) await new Promise((resolve) => gunzip.once('drain', resolve))
  }
  gunzip.end()
}

async function* counting(source: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield chunk
  }
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** Regroups bytes into chunks, never empty, that end where a line ends. Cuts lines beyond LONGEST_LINE_BYTES. */
export async function* lineChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1
    if (end > 0 && size + end >= CHUNK_BYTES) {
      yield Buffer.concat([...parts, chunk.subarray(0, end)])
      parts = [chunk.subarray(end)]
      size = chunk.length - end
      continue
    }
    parts.push(chunk)
    size += chunk.length
    if (size > LONGEST_LINE_BYTES) {
      yield Buffer.concat(parts)
      parts = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(parts)
}
