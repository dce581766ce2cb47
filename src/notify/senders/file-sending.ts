import type { Sending } from '../sender.ts'
import type { BackupSubscription } from '../subscription.ts'

/** The file that a message puts into a folder or a bucket. */
export interface SentFile {
  name: string
  mediaType: string
  /** A file on this machine, or a text. */
  content: { path: string; bytes: number } | { text: string }
  /** How many copies of a store to keep; null for a file of which all are kept. */
  keep: number | null
}

/** Copies kept unless a subscription says otherwise. */
const COPIES_KEPT = 7

/** Returns the file that a message puts into a folder or a bucket; null for a message without a file. */
export function sentFileOf({ message, subscription, file }: Pick<Sending, 'message' | 'subscription' | 'file'>) {
  const { body } = message
  if (body.type === 'test') return testFile(message.subscription)
  if (body.type !== 'file' || file === null) return null
  const keep = subscription.kind === 'backup' ? keptBy(subscription) : null
  return { name: body.name, mediaType: body.mediaType, content: file, keep } satisfies SentFile
}

const testFile = (subscription: string): SentFile => ({
  name: `${subscription}-test.txt`,
  mediaType: 'text/plain',
  content: { text: `The files of the subscription ${subscription} arrive here.\n` },
  keep: null,
})

const keptBy = ({ keep = COPIES_KEPT }: BackupSubscription): number => keep
