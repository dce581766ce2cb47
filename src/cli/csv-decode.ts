import { TextDecoder } from 'node:util'
import type { Bytes } from './csv-source.ts'

/** Byte order marks and the encodings that they announce. */
const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
] as const

/** Tells whether TextDecoder knows an encoding of this name. */
export function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name, { fatal: true })
    return true
  } catch {
    return false
  }
}

/**
 * Returns the encoding of a file: the named one, else that of its byte order mark, else UTF-8.
 *
 * @throws Error if mark and name contradict each other
 */
export async function encodingOf(bytes: Bytes, named: string | undefined): Promise<string> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes.read(0, 3)) head = Buffer.concat([head, chunk])
  const marked = MARKS.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0]
  if (named === undefined || named.toLowerCase() === 'utf-16') return marked ?? named ?? 'utf-8'
  if (marked === undefined || marked === new TextDecoder(named).encoding) return named
  throw new Error(`it begins with the byte order mark of ${marked}, so that it is not ${named}: leave out --encoding`)
}

/**
 * Yields the text of a file without its byte order mark.
 *
 * @throws Error that names the line if bytes are not valid in the encoding, or if there is a NUL, which no text has
 */
export async function* decode(bytes: Bytes, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let offset = 0
  for await (const chunk of bytes.read()) {
    const text = decodeOrNull(decoder, chunk)
    if (text === null || text.includes('\0')) throw await faultOf(bytes, encoding, offset)
    yield text
    offset += chunk.length
  }
  if (decodeOrNull(decoder) === null) throw await faultOf(bytes, encoding, offset)
}

/** Decodes a chunk; null if it is invalid. Always streams: otherwise Node.js 20 takes Windows-1252 for Latin-1. */
function decodeOrNull(decoder: TextDecoder, chunk: Uint8Array | undefined = undefined): string | null {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    return null
  }
}

/** Returns an error that names the line of the first fault, given that there is no fault before `offset`. */
async function faultOf(bytes: Bytes, encoding: string, offset: number): Promise<Error> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let line = 1
  for await (const chunk of bytes.read(0, offset)) line += lineFeeds(decodeOrNull(decoder, chunk) ?? '')
  for await (const chunk of bytes.read(offset)) {
    for (let byte = 0; byte < chunk.length; byte++) {
      const text = decodeOrNull(decoder, chunk.subarray(byte, byte + 1))
      if (text === null) return notInEncoding(line, encoding)
      if (text.includes('\0')) return hasNul(line, encoding)
      line += lineFeeds(text)
    }
  }
  return notInEncoding(line, encoding)
}

const lineFeeds = (text: string): number => text.split('\n').length - 1

const notInEncoding = (line: number, encoding: string): Error =>
  new Error(`line ${line} is not ${encoding}: name the encoding of the file, such as --encoding windows-1252`)

const hasNul = (line: number, encoding: string): Error =>
  new Error(
    `line ${line} has a NUL in it, as read in ${encoding}: name the encoding, such as --encoding utf-16le (or utf-16be); ` +
      'if the file is not UTF-16, its bytes are damaged',
  )
