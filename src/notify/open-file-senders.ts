import type { Senders } from './sender.ts'
import { folderSender } from './senders/folder.ts'
import { s3Sender } from './senders/s3.ts'

/** Settings that allow files to be delivered. */
export interface DeliverySettings {
  /** The folder within which files are put; null for none. */
  folder: string | null
  /** The server of buckets, whose endpoint is a URL or null for Amazon S3; null for none. */
  s3: { endpoint: string | null } | null
}

/** Returns the senders of files; null where the settings name no target. They take up nothing until they are used. */
export const openFileSenders = ({ folder, s3 }: DeliverySettings): Pick<Senders, 'folder' | 's3'> => ({
  folder: folder === null ? null : folderSender(folder),
  s3: s3 === null ? null : s3Sender(s3.endpoint),
})
