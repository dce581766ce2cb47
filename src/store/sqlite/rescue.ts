import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { formatInstant } from '../../base/time.ts'
import { copyHandle, isAlive, removeBeside } from './copy-pages.ts'
import type { Sqlite } from './database.ts'
import { inodeOf, type StoreIdentity } from './identity.ts'

/**
 * Saves a store whose file was moved, removed or replaced while this process had it open. The connection can still read
 * all of it, including its write-ahead log.
 *
 *     store.sqlite.lost-DEVICE-INODE    a note: the process that saves it, then the path of the copy; it is saved once
 *     store.sqlite.rescued-TIME         the saved store, checked, in one file
 */
const rescuedName = (file: string, now: number): string =>
  `${file}.rescued-${formatInstant(now).replace(/[-:]|\.\d+/g, '')}`

const noteName = (file: string, inode: string): string => `${file}.lost-${inode.replace(':', '-')}`

/**
 * Saves the store and returns the path of the copy; if another process saves it, that path, or null until it is done.
 * `check` turns the copy into a single file and checks it; it may take long.
 *
 * @throws CoolerError `store-full`, `store-damaged`: it may be tried again
 */
export async function rescueSqlite(
  database: Sqlite,
  identity: StoreIdentity,
  now: number,
  check: (copy: string) => Promise<void>,
): Promise<string | null> {
  const file = resolve(database.name)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const note = noteName(file, identity[0] ?? 'unknown')
  const other = claim(note)
  if (other !== 'ours') return other
  const partial = `${file}.saving-${process.pid}`
  const rescued = rescuedName(file, now)
  const saved = `${note}.${process.pid}`
  try {
    writeNote(saved, rescued) // While there is room: the copy may take the last of it.
    await copyHandle(database, partial)
    await check(partial)
    renameDurably(partial, rescued)
    renameSync(saved, note) // Atomic: another process must not find it empty.
    return rescued
  } catch (error) {
    rmSync(note, { force: true })
    throw error
  } finally {
    for (const left of [partial, saved]) rmSync(left, { force: true })
    removeBeside(partial)
  }
}

/** Takes the note of a lost store. If another process has it, returns the path of its copy, or null for none yet. */
function claim(note: string): 'ours' | string | null {
  const text = readNote(note)
  if (text === null) return takeNote(note) ? 'ours' : null
  if (existsSync(text)) return text
  // Its process has died halfway, or the note is of an earlier loss: the next call takes it.
  const isBeingSaved = /^\d+$/.test(text) && isAlive(Number(text))
  if (!isBeingSaved) rmSync(note, { force: true })
  return null
}

/** Creates a note; returns false if another process has created it meanwhile. */
function takeNote(note: string): boolean {
  const own = `${note}.${process.pid}`
  try {
    writeNote(own, String(process.pid))
    putWhole(own, note)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Gives a file another name unless that is taken. Uses a link, so that nobody finds the file empty. */
function putWhole(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL) // The file system has no links.
  }
}

function readNote(note: string): string | null {
  try {
    return readFileSync(note, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const writeNote = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 })

/** Forgets an earlier loss of a store, so that the next one is rescued, too. Call it once its files are in place. */
export function forgetLoss(file: string): void {
  const inode = inodeOf(file)
  if (inode !== null) rmSync(noteName(resolve(file), inode), { force: true })
}

/** Refuses to create a new store next to a rescued one, which it would hide. @throws CoolerError `store-gone` */
export function requireNoRescue(file: string): void {
  const folder = dirname(resolve(file))
  const names = existsSync(folder) ? readdirSync(folder) : []
  const last = names
    .filter((name) => name.startsWith(`${basename(file)}.rescued-`))
    .sort()
    .at(-1)
  if (last === undefined) return
  const rescued = join(folder, last)
  throw new CoolerError(
    'store-gone',
    `there is no store at ${file}, but ${rescued} is what was saved when it was lost: \`cooler restore ${rescued}\` puts it` +
      ' back; or move that file away to begin with a new store',
  )
}
