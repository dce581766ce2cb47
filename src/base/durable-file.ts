import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Renames a file to its final name, so that after a crash that name has either the old file or the complete new one.
 *
 * Must not be used on a file that a connection of this process has open: closing any descriptor of a file drops all
 * locks that the process has on it (POSIX), including SQLite's.
 */
export function renameDurably(from: string, to: string): void {
  syncPath(from)
  renameSync(from, to)
  syncPath(dirname(to))
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export interface DurableWrite {
  /** The file gets its name at the end; until then it has this one, which must be free. */
  partial: string
  signal?: AbortSignal
}

/**
 * Writes a file as a stream gives it, off the event loop, and returns its length in bytes. Its name has either the old
 * file or the complete new one, after a crash too. Removes the partial file if the stream or the disk fails.
 */
export async function writeDurably(source: Readable, path: string, { partial, signal }: DurableWrite): Promise<number> {
  let isMade = false
  try {
    const file = await open(partial, 'wx')
    isMade = true
    try {
      let bytes = 0
      const write = async (pieces: AsyncIterable<string | Uint8Array>): Promise<void> => {
        for await (const piece of pieces) {
          await file.writeFile(piece) // Goes on where the last piece ended.
          bytes += Buffer.byteLength(piece)
        }
      }
      await pipeline(source, write, signal === undefined ? {} : { signal })
      await file.sync()
      await file.close()
      await rename(partial, path)
      await syncFolder(dirname(path))
      return bytes
    } finally {
      await file.close()
    }
  } catch (error) {
    source.destroy()
    if (isMade) await rm(partial, { force: true })
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
