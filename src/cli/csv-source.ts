import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])
const ZIP_MAGIC = Buffer.from('PK\u0003\u0004')
const CHUNK_BYTES = 256 * 1024

/** The bytes of a file, which can be read more than once. */
export interface Bytes {
  /** Yields the bytes from `start` up to `end`. Bytes appended after the file was opened are left out. */
  read(start?: number, end?: number): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/**
 * Opens a file, or standard input for `-`. Input that is gzip or cannot be read twice is copied to a temporary file
 * without a name, which disappears when the process ends, however it ends.
 *
 * @throws Error if the file cannot be read or copied
 */
export async function openBytes(file: string): Promise<Bytes> {
  const isFile = file !== '-' && (await stat(file)).isFile()
  const bytes = await bytesOf(
    isFile ? await open(file) : await spool(file === '-' ? process.stdin : createReadStream(file)),
  )
  try {
    const head = await bytes.read(0, ZIP_MAGIC.length).next()
    const magic: Buffer = head.value ?? Buffer.alloc(0)
    if (magic.equals(ZIP_MAGIC)) throw new Error('it is a ZIP archive or an Excel workbook: save it as CSV')
    if (!magic.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) return bytes
    const gunzip = createGunzip()
    // The reader of the stream gets the error. It may come before anyone reads: then nobody else would listen to it.
    gunzip.on('error', () => {})
    pipeline(bytes.read(), gunzip).catch(() => {})
    const unpacked = await spool(gunzip)
    await bytes.close()
    return await bytesOf(unpacked)
  } catch (error) {
    await bytes.close()
    throw error
  }
}

async function spool(source: AsyncIterable<Buffer>): Promise<FileHandle> {
  const path = join(tmpdir(), `cooler-import-${randomUUID()}`)
  const copy = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    await writeFile(copy, source)
    return copy
  } catch (error) {
    await copy.close()
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new Error(`its copy in ${tmpdir()} fills the disk: set TMPDIR to a folder with more room`, { cause: error })
  }
}

async function bytesOf(file: FileHandle): Promise<Bytes> {
  const { size } = await file.stat()
  return {
    async *read(start = 0, end = size) {
      for (let from = start; from < Math.min(end, size); ) {
        const length = Math.min(CHUNK_BYTES, end - from, size - from)
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from)
        if (bytesRead === 0) throw new Error('it became shorter while it was read')
        yield buffer.subarray(0, bytesRead)
        from += bytesRead
      }
    },
    close: () => file.close(),
  }
}
