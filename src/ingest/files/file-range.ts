import { closeSync, openSync, readSync } from 'node:fs'
import { CHUNK_BYTES, LONGEST_LINE_BYTES } from './line-chunks.ts'

const LINE_FEED = 0x0a

/** A part of a file: the lines that begin at byte `from` or later, and before byte `to`. */
export interface FileRange {
  path: string
  from: number
  to: number
}

/**
 * Cuts a file of `bytes` bytes into ranges of at most about `mostBytes`, as many for each thread; each line of the file
 * is in exactly one range.
 */
export function rangesOf(path: string, bytes: number, mostBytes: number, threads = 1): FileRange[] {
  const count = Math.ceil(bytes / mostBytes / threads) * threads
  const edge = (nth: number): number => Math.round((bytes * nth) / count)
  return Array.from({ length: count }, (_, nth) => ({ path, from: edge(nth), to: edge(nth + 1) }))
}

/**
 * Yields the lines of a range in chunks that end where a line ends and are never empty. A chunk is valid only until the
 * next chunk, which is read into the same buffer. A line without an end is cut, as in lineChunks. Throws the error of
 * the file system if the file cannot be read.
 */
export function* linesOfRange({ path, from, to }: FileRange): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    let buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    let size = 0
    // Start one byte early: unless that byte is a line feed, the line at `from` belongs to the previous range.
    let first = Math.max(0, from - 1)
    let isOfBefore = from > 0
    let isCut = false
    for (;;) {
      if (size === buffer.length) buffer = Buffer.concat([buffer], size * 2)
      const read = readSync(file, buffer, size, buffer.length - size, first + size)
      size += read
      const held = buffer.subarray(0, size)
      let start = 0
      if (isOfBefore) {
        start = held.indexOf(LINE_FEED) + 1
        isOfBefore = start === 0
        if (isOfBefore) start = size
      }
      if (!isOfBefore) {
        if (first + start >= to && !isCut) return
        // The last line begins at byte `to` - 1 at the latest, so it ends with the first line feed from there on.
        const last = held.indexOf(LINE_FEED, Math.max(start, to - 1 - first)) + 1
        let end = last > 0 ? last : held.lastIndexOf(LINE_FEED) + 1
        isCut = end <= start && size - start >= LONGEST_LINE_BYTES
        if (isCut || read === 0) end = size
        if (end > start) yield held.subarray(start, end)
        if (last > 0) return
        start = Math.max(start, end)
      }
      if (read === 0) return
      buffer.copyWithin(0, start, size)
      first += start
      size -= start
    }
  } finally {
    closeSync(file)
  }
}
