import { existsSync, statfsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { walBytes } from './wal.ts'

/** The disk space that a store takes, and what is left. */
export interface StoreHealth {
  storeBytes: number
  /** The size of the write-ahead log. */
  walBytes: number
  /** Null if it cannot be determined. */
  freeBytes: number | null
}

/** The disk that a store is on, or would be created on. */
export interface StoreDisk {
  /** The folder of the store, or its nearest ancestor that exists. */
  folder: string
  freeBytes: number
  /** A file system unsuitable for a store, `isLost` if it is lost with the machine; null for any other. */
  unfit: { name: string; isLost: boolean } | null
}

/** File systems that are unsuitable for a store, by their magic numbers in Linux. */
const UNFIT: Readonly<Record<number, StoreDisk['unfit']>> = {
  26985: { name: 'NFS', isLost: false },
  20859: { name: 'SMB', isLost: false },
  4283649346: { name: 'CIFS', isLost: false },
  4266872130: { name: 'SMB', isLost: false },
  16914836: { name: 'tmpfs', isLost: true },
}

/** Returns the sizes of a store's files, 0 for a missing file, and the free space on its disk. */
export async function healthOf(file: string): Promise<StoreHealth> {
  const freeBytes = await statfs(dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
  return { storeBytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0, walBytes: walBytes(file), freeBytes }
}

/** Returns the disk of a store, which need not exist yet. */
export function diskOf(file: string): StoreDisk {
  const folder = nearestFolder(resolve(file))
  const { type, bavail, bsize } = statfsSync(folder)
  return { folder, freeBytes: bavail * bsize, unfit: UNFIT[type] ?? null }
}

function nearestFolder(file: string): string {
  const folder = dirname(file)
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(folder)
}
