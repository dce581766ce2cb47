import { rm } from 'node:fs/promises'
import { renameDurably } from '../base/durable-file.ts'
import { requireFileStore } from '../base/store-location.ts'
import { backupStore } from '../store/open-store.ts'

/** Dependencies of writeBackup. */
export interface BackupParts {
  /** Path of the store's file, or its postgres:// URL. */
  location: string
  /** Checks a copy in full, off the event loop. @throws CoolerError `store-damaged` */
  checkCopy(file: string): Promise<void>
}

/**
 * Copies a store while others write to it; the copy gets its name when it has been checked. Returns its length in bytes.
 *
 * @throws CoolerError `bad-configuration` for a store in PostgreSQL; `store-full`, `store-busy`, `store-damaged`
 */
export async function writeBackup({ location, checkCopy }: BackupParts, path: string): Promise<{ bytes: number }> {
  requireFileStore(location)
  const unchecked = `${path}.unchecked`
  try {
    const { bytes } = await backupStore(location, unchecked, { check: 'none' })
    await checkCopy(unchecked)
    renameDurably(unchecked, path)
    return { bytes }
  } catch (error) {
    await rm(unchecked, { force: true })
    throw error
  }
}
