import { createWriteStream, existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeDurably } from '../base/durable-file.ts'
import { filesOfStore } from '../store/open-store.ts'
import { UsageError } from './context.ts'

/**
 * Writes to a file, or to standard output if no file is named. The file gets its name only when it is complete. An
 * existing file that is not an ordinary one, such as a named pipe, is written directly.
 */
export async function writeOut(content: string | Readable, file: string | undefined): Promise<void> {
  const source = typeof content === 'string' ? Readable.from([content]) : content
  if (file === undefined) return pipeline(source, process.stdout, { end: false })
  if (existsSync(file) && !statSync(file).isFile()) return pipeline(source, createWriteStream(file))
  const partial = `${file}.${process.pid}.partial`
  rmSync(partial, { force: true }) // Left by a process that had the same id.
  await writeDurably(source, file, { partial })
}

/** Checks the file of a report. @throws UsageError if it cannot be written there, or would replace the store */
export function requireWritable(file: string, store: string): void {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw new UsageError(`${folder} is no folder`)
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${file} is a folder`)
  if (filesOfStore(store).some((one) => realPath(file) === realPath(one))) throw new UsageError(`${file} is the store`)
}

/** Returns the path of a file with its links resolved, or the plain path if the file does not exist yet. */
const realPath = (file: string): string => (existsSync(file) ? realpathSync(file) : resolve(file))
