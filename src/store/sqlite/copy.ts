import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { renameDurably } from '../../base/durable-file.ts'
import { CoolerError } from '../../base/errors.ts'
import { openSqliteReader, type Sqlite } from './connection.ts'
import { type CopyProgress, copyHandle, isAlive, removeBeside } from './copy-pages.ts'
import { asStoreError, isDamagedFile } from './errors.ts'
import { refuseForeignDatabase } from './recognise.ts'
import { versionOf } from './schema.ts'

/** `quick` finds damaged pages and rows; `full` also checks that every index agrees with its table. */
export type CheckDepth = 'none' | 'quick' | 'full'

export interface CopyOptions {
  check: CheckDepth
  onProgress?: CopyProgress
}

export interface CopyResult {
  bytes: number
  /** Version of its schema. */
  version: number
}

const PROBLEMS_TOLD = 10

/**
 * Copies a store while others write to it. The copy is one consistent state, checked and on disk, in a single file
 * without a write-ahead log. `commit` creates or replaces `to` at the very end; callers that do more than rename pass
 * their own.
 *
 * Copies page by page with SQLite's backup API, within one read transaction. Otherwise every commit of another
 * connection would restart the copy, and on a busy service it would never end. `VACUUM INTO` also gives one state, and
 * a smaller file, but takes longer and reports no progress. Until the copy ends, the write-ahead log cannot be cut.
 *
 * @throws CoolerError `store-too-new`, `store-busy`, `store-full` (no room for the copy), `store-damaged`,
 * `store-foreign` if `from` or `to` is a database of another program, `not-found` if `from` does not exist
 */
export async function copySqlite(
  from: string,
  to: string,
  { check, onProgress = () => {} }: CopyOptions,
  commit: (partial: string) => void = (partial) => renameDurably(partial, to),
): Promise<CopyResult> {
  const partial = `${to}.partial-${process.pid}`
  refuseForeignDatabase(to)
  removeLeftovers(to)
  try {
    const version = await copyPages(from, partial, onProgress)
    finishCopy(partial, check)
    const { size } = statSync(partial)
    commit(partial)
    return { bytes: size, version }
  } catch (error) {
    throw asStoreError(error)
  } finally {
    rmSync(partial, { force: true })
    removeBeside(partial)
  }
}

async function copyPages(from: string, to: string, onProgress: CopyProgress): Promise<number> {
  const source = openSqliteReader(from, { anyVersion: true })
  try {
    source.exec('BEGIN')
    const version = versionOf(source) // The first read fixes the state that all reads see.
    await copyHandle(source, to, onProgress)
    return version
  } finally {
    source.close()
  }
}

/** Turns a copy into a single file that needs no other, and checks it. @throws CoolerError `store-damaged` */
export function finishCopy(file: string, check: CheckDepth): void {
  const database = new Database(file)
  try {
    database.pragma('synchronous = FULL')
    database.pragma('journal_mode = DELETE')
    const problems = problemsOf(database, check)
    if (problems.length === 0) return
    throw new CoolerError('store-damaged', `damaged, so that no copy was made: ${problems.join('; ')}`)
  } finally {
    database.close()
  }
}

/** Returns the first problems that SQLite finds in a store; reads all of it. */
export function problemsOf(database: Sqlite, check: CheckDepth): string[] {
  if (check === 'none') return []
  try {
    const rows = database.pragma(`${check === 'full' ? 'integrity_check' : 'quick_check'}(${PROBLEMS_TOLD})`)
    const lines = (rows as Record<string, string>[]).flatMap((row) => Object.values(row))
    return lines.filter((line) => line !== 'ok')
  } catch (error) {
    if (isDamagedFile(error)) return [(error as Error).message]
    throw error
  }
}

/** Removes partial copies to the same file whose process has died. */
function removeLeftovers(to: string): void {
  const prefix = `${basename(to)}.partial-`
  for (const name of readdirSync(dirname(to))) {
    const pid = name.startsWith(prefix) ? /^\d+/.exec(name.slice(prefix.length))?.[0] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(to), name), { force: true })
  }
}
