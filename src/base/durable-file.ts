import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file its final name, so that after a crash there is the old file of that name or the new one, whole.
 *
 * Not for a file that a connection of this process has open: closing any descriptor of a file drops all the locks that
 * the process has on it (POSIX), and with them SQLite's.
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
