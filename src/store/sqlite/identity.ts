import { statSync } from 'node:fs'
import { CoolerError } from '../../base/errors.ts'

/** Which files on disk a connection has open, in the order of FILES: device and inode, null for a file that was not there. */
export type StoreIdentity = readonly (string | null)[]

/** The store, its write-ahead log and the log's index. While a connection is open SQLite replaces none of them. */
const FILES = ['', '-wal', '-shm'] as const

/** Returns the paths of a store's files, those that may be there. */
export const filesOf = (file: string): string[] => FILES.map((suffix) => file + suffix)

/** Returns what lies at a store's path now. */
export const identityOf = (file: string): StoreIdentity => FILES.map((suffix) => inodeOf(file + suffix))

/** Returns device and inode of a path; null where nothing is there, or nobody can say. */
export function inodeOf(file: string): string | null {
  try {
    const { dev, ino } = statSync(file)
    return `${dev}:${ino}`
  } catch {
    return null // Not there, or nobody can say: its folder is none any more, or may not be entered.
  }
}

/** Whether the files that a connection has open are still the ones at the store's path. Costs a few microseconds. */
export function isAtItsPlace(file: string, identity: StoreIdentity): boolean {
  return FILES.every((suffix, index) => identity[index] === null || identity[index] === inodeOf(file + suffix))
}

/** @throws CoolerError `store-gone` */
export function requireAtItsPlace(file: string, identity: StoreIdentity): void {
  if (isAtItsPlace(file, identity)) return
  throw new CoolerError(
    'store-gone',
    "the store's file was moved, removed or replaced while it was in use: nothing is taken until an operator has put it back",
  )
}
