import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openLines } from '../../../src/ingest/files/line-chunks.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'

/** What is read of a pipe into which the parts are written one after the other, each once the one before was taken. */
async function readPipe(parts: readonly Buffer[]): Promise<string> {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const write = async (): Promise<void> => {
    const file = await open(pipe, 'w')
    for (const part of parts) await file.appendFile(part)
    await file.close()
  }
  const taken: number[] = []
  const writing = write()
  const chunks: Buffer[] = []
  for await (const chunk of openLines(pipe, (bytes) => taken.push(bytes))) chunks.push(chunk)
  await writing
  expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(Buffer.concat(parts).length)
  return Buffer.concat(chunks).toString()
}

const text = '{"n":1}\n{"n":2}\n'
const bytewise = (bytes: Buffer): Buffer[] => Array.from(bytes, (byte) => Buffer.of(byte))

test.each([
  ['gzip', gzipSync(text), text],
  ['plain text', Buffer.from(text), text],
  ['one byte', Buffer.from('x'), 'x'],
  ['nothing', Buffer.alloc(0), ''],
  ['a first byte of gzip alone', Buffer.of(0x1f), '\x1f'],
])('a pipe that delivers %s byte by byte is read as it is', async (_, bytes, expected) => {
  expect(await readPipe(bytewise(bytes))).toBe(expected)
})
