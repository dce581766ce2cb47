import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { formatInstant } from '../../base/time.ts'
import { copyHandle, isAlive, removeBeside } from './copy-pages.ts'
import type { Sqlite } from './database.ts'
import { inodeOf, type StoreIdentity } from './identity.ts'

/**
 * Saves a store whose file was moved, removed or replaced while this process had it open: the connection still reads
 * all of it, its write-ahead log included.
 *
 *     store.sqlite.lost-DEVICE-INODE    a note: the process that saves it, then where it was saved; so it is saved once
 *     store.sqlite.rescued-TIME         what was saved, checked, in one file
 */
const rescuedName = (file: string, now: number): string =>
  `${file}.rescued-${formatInstant(now).replace(/[-:]|\.\d+/g, '')}`

const noteName = (file: string, inode: string): string => `${file}.lost-${inode.replace(':', '-')}`

/**
 * Returns the path of the rescued file, also where another process has made it; null while another one is making it.
 * `check` makes the copy a file of its own and checks it; it may take long.
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
  const other = await claim(note)
  if (other !== 'ours') return other
  const partial = `${file}.saving-${process.pid}`
  try {
    await copyHandle(database, partial)
    await check(partial)
    const rescued = rescuedName(file, now)
    renameDurably(partial, rescued)
    const saved = writeNote(note, rescued)
    renameSync(saved, note) // In one step: another process must not find it empty.
    return rescued
  } catch (error) {
    rmSync(note, { force: true })
    throw error
  } finally {
    rmSync(partial, { force: true })
    removeBeside(partial)
  }
}

/** Takes the note of a lost store, unless a process that is alive has it; else gives what that one has saved so far. */
async function claim(note: string): Promise<'ours' | string | null> {
  const own = writeNote(note, String(process.pid))
  try {
    linkSync(own, note)
    return 'ours'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  const text = readFileSync(note, 'utf8')
  if (existsSync(text)) return text
  // Its process has ended half-way, or it is of an earlier loss: the next look takes it.
  const isBeingSaved = /^\d+$/.test(text) && isAlive(Number(text))
  if (!isBeingSaved) rmSync(note, { force: true })
  return null
}

/** Writes the text of a note beside it, and returns the path. */
function writeNote(note: string, text: string): string {
  const path = `${note}.${process.pid}`
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

/** Forgets an earlier loss of a store, so that another one is rescued too; call it once the store's files are in place. */
export function forgetLoss(file: string): void {
  const inode = inodeOf(file)
  if (inode !== null) rmSync(noteName(resolve(file), inode), { force: true })
}

/** A new, empty store must not hide that another one was lost. @throws CoolerError `store-gone` */
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
