import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

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
