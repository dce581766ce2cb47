import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Chunks are cut at line ends near this size. */
export const CHUNK_BYTES = 1024 * 1024
/** A line without an end is cut here, so that it cannot fill the memory; its parts are rejected. */
export const LONGEST_LINE_BYTES = 16 * 1024 * 1024

const LINE_FEED = 0x0a
const GZIP_MAGIC = [0x1f, 0x8b]

/** Bytes of a file, or of standard input where it is `-`, gzip unpacked whatever the name says. */
export function openLines(path: string, onBytes: (bytes: number) => void = () => {}): AsyncIterable<Buffer> {
  const source: Readable = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES })
  return lineChunks(unpacked(source, onBytes))
}

/** Whether a file is one of gzip. */
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
  const first = await counted.next()
  if (first.done) return
  const rest = prepend(first.value, counted)
  if (!startsPacked(first.value)) {
    yield* rest
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // Read errors end the unpacking, too; pipeline() would end standard input as well.
  void feed(rest, gunzip).catch((error) => gunzip.destroy(error))
  yield* gunzip as AsyncIterable<Buffer>
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

/** Cuts a stream of bytes into chunks that end where a line ends, none of them empty; wherever its own chunks end. */
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
