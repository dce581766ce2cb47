import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { writeDurably } from '../../base/durable-file.ts'
import { millisecondsInHour } from '../../base/time.ts'
import type { ChannelOf } from '../channel.ts'
import { copiesToRemove } from '../file-names.ts'
import type { Sender, Sending } from '../sender.ts'
import { type SentFile, sentFileOf } from './file-sending.ts'

const BASE = 'COOLER_DELIVERY_FOLDER'

/** A partial file that nobody has written to for so long was left by a crash. */
const ABANDONED_MS = millisecondsInHour
const PARTIAL = /^\..+\.[0-9a-f]{16}\.partial$/
const newPartial = (name: string): string => `.${name}.${randomBytes(8).toString('hex')}.partial`

/**
 * Returns a sender that puts files into folders within a base folder. Each file gets its name when it is complete and on
 * disk; sending it again replaces it. The base folder itself must exist, so that a disk that is not mounted is noticed.
 */
export const folderSender = (base: string): Sender => ({
  async send(channel, sending) {
    const { path } = channel as ChannelOf<'folder'>
    const file = sentFileOf(sending)
    if (file === null) return { as: 'refused', error: 'a folder takes files only' }
    try {
      const folder = await folderWithin(base, path)
      if (folder === null)
        return { as: 'refused', error: `${path} is a link that leads out of ${BASE}, or not a folder` }
      await removeAbandoned(folder)
      await put(file, folder, sending)
      await removeOlder(file, folder, sending)
      return { as: 'sent' }
    } catch (error) {
      return { as: 'failed', error: sentenceOf(error as NodeJS.ErrnoException, path, file.name) }
    }
  },
  async close() {
    // It holds nothing.
  },
})

/** Returns the folder of a relative path, and makes what is missing; null if it is not a folder within the base. */
async function folderWithin(base: string, path: string): Promise<string | null> {
  const root = await realpath(base)
  let folder = root
  for (const part of path.split('/')) {
    const next = join(folder, part)
    await mkdir(next).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    folder = await realpath(next)
    if (!folder.startsWith(root.endsWith(sep) ? root : root + sep) || !(await stat(folder)).isDirectory()) return null
  }
  return folder
}

async function put({ name, content }: SentFile, folder: string, { signal }: Pick<Sending, 'signal'>): Promise<void> {
  const source = 'text' in content ? Readable.from([content.text]) : createReadStream(content.path)
  await writeDurably(source, join(folder, name), { partial: join(folder, newPartial(name)), signal })
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!PARTIAL.test(name)) continue
    const file = await lstat(join(folder, name)).catch(() => null) // Another sender may have ended it meanwhile.
    if (file?.isFile() && file.mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true })
  }
}

async function removeOlder(
  { name, keep }: SentFile,
  folder: string,
  { subscription }: Pick<Sending, 'subscription'>,
): Promise<void> {
  if (keep === null) return
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
  for (const older of copiesToRemove(names, subscription.id, { delivered: name, keep }))
    await rm(join(folder, older), { force: true })
}

function sentenceOf({ code, name, message }: NodeJS.ErrnoException, path: string, file: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space is left for ${file} in ${path} of ${BASE}`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${path} of ${BASE} may not be written by this program (${code})`
    case 'ENOENT':
      return `${BASE}, ${path} in it, or the file to be sent is not there`
    default:
      if (name === 'AbortError') return `${file} was not written completely: the delivery was stopped`
      return `${file} cannot be written to ${path} of ${BASE}: ${(code ?? message).split('\n', 1)[0]}`
  }
}
