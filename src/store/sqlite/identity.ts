import { statSync } from 'node:fs'
import { CoolerError } from '../../base/errors.ts'

/** The files that a connection has open, in the order of FILES: device and inode, or null for a missing file. */
export type StoreIdentity = readonly (string | null)[]

/** The store, its write-ahead log and the log's index. While a connection is open SQLite replaces none of them. */
const FILES = ['', '-wal', '-shm'] as const

/** Returns the paths of all files that a store may have. */
export const filesOf = (file: string): string[] => FILES.map((suffix) => file + suffix)

/** Returns the identity of the files that are at a store's path now. */
export const identityOf = (file: string): StoreIdentity => FILES.map((suffix) => inodeOf(file + suffix))

/** Returns device and inode of a path; null if nothing is there, or if the path cannot be read. */
export function inodeOf(file: string): string | null {
  try {
    const { dev, ino } = statSync(file)
    return `${dev}:${ino}`
  } catch {
    return null // Missing, or its folder is no longer a folder or may not be entered.
  }
}

/** Tells whether the files that a connection has open are still at the store's path. Costs a few microseconds. */
export function isAtItsPlace(file: string, identity: StoreIdentity): boolean {
  return FILES.every((suffix, index) => identity[index] === null || identity[index] === inodeOf(file + suffix))
}

/** Requires that the open files are still at the store's path. @throws CoolerError `store-gone` */
export function requireAtItsPlace(file: string, identity: StoreIdentity): void {
  if (isAtItsPlace(file, identity)) return
  throw new CoolerError(
    'store-gone',
    "the store's file was moved, removed or replaced while it was in use: nothing is taken until an operator has put it back",
  )
}
