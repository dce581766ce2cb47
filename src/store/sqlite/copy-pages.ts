import { closeSync, openSync, rmSync } from 'node:fs'
import type { Sqlite } from './database.ts'

export type CopyProgress = (doneBytes: number, totalBytes: number) => void

/** Pages copied in one step; progress is reported between steps. */
const PAGES_A_STEP = 2048

/** Copies what an open connection sees to a new file that only its owner may read and write. */
export async function copyHandle(source: Sqlite, to: string, onProgress: CopyProgress = () => {}): Promise<void> {
  const pageBytes = source.pragma('page_size', { simple: true }) as number
  makeOwnFile(to)
  await source.backup(to, {
    progress: ({ totalPages, remainingPages }) => {
      onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
      return PAGES_A_STEP
    },
  })
}

/** Makes an empty file that only its owner may read and write, unless the file exists. */
export function makeOwnFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Tells whether a process is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes the files that SQLite may have left next to a database. */
export function removeBeside(file: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
