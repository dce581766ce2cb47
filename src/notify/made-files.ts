import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MessageHead } from '../store/notices.ts'
import { type BackupParts, writeBackup } from './backup-file.ts'
import type { MadeFile } from './deliver.ts'
import { type ReportParts, writeReport } from './report-file.ts'
import type { Subscription } from './subscription.ts'

/** Dependencies of makeFile. */
export interface FileParts {
  reports: ReportParts
  backups: BackupParts
}

/**
 * Makes the file of a message in a temporary folder.
 *
 * @throws Error if days of a report are not settled (any more); CoolerError as writeReport and writeBackup
 */
export async function makeFile(
  { reports, backups }: FileParts,
  { day, toDay }: MessageHead,
  subscription: Subscription,
): Promise<MadeFile> {
  const folder = await mkdtemp(join(tmpdir(), 'cooler-file-'))
  const path = join(folder, 'file')
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    if (subscription.kind === 'backup') {
      const { bytes } = await writeBackup(backups, path)
      return { path, bytes, hash: null, remove }
    }
    if (subscription.kind !== 'report') throw new Error('the subscription is not one of files any more')
    const { bytes, digest, isSettled } = await writeReport(reports, subscription, { fromDay: day, toDay }, path)
    if (!isSettled && subscription.provisional !== true) throw new Error('a day of the report is not settled any more')
    return { path, bytes, hash: digest, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
