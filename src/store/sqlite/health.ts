import { existsSync, statfsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { walBytes } from './wal.ts'

/** What a store takes of its disk, and what is left there. */
export interface StoreHealth {
  storeBytes: number
  /** The size of the write-ahead log. */
  walBytes: number
  /** Null where nobody can say. */
  freeBytes: number | null
}

/** The disk on which a store is, or would be made. */
export interface StoreDisk {
  /** The folder of the store, or the nearest one above it that is there. */
  folder: string
  freeBytes: number
  /** A file system that is no place for a store: `isLost` where it is gone with the machine; null for any other. */
  unfit: { name: string; isLost: boolean } | null
}

/** File systems that are no place for a store, by the number that Linux has for them. */
const UNFIT: Readonly<Record<number, StoreDisk['unfit']>> = {
  26985: { name: 'NFS', isLost: false },
  20859: { name: 'SMB', isLost: false },
  4283649346: { name: 'CIFS', isLost: false },
  4266872130: { name: 'SMB', isLost: false },
  16914836: { name: 'tmpfs', isLost: true },
}

/** Returns the sizes of a store's files, 0 for one that is not there, and the room on its disk. */
export async function healthOf(file: string): Promise<StoreHealth> {
  const freeBytes = await statfs(dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
  return { storeBytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0, walBytes: walBytes(file), freeBytes }
}

/** Looks at the disk of a store, also of one that is not there yet. */
export function diskOf(file: string): StoreDisk {
  const folder = nearestFolder(resolve(file))
  const { type, bavail, bsize } = statfsSync(folder)
  return { folder, freeBytes: bavail * bsize, unfit: UNFIT[type] ?? null }
}

function nearestFolder(file: string): string {
  const folder = dirname(file)
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(folder)
}
