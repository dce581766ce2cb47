import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Channel } from '../../src/notify/channel.ts'
import type { Sending } from '../../src/notify/sender.ts'
import type { BackupSubscription, ReportSubscription } from '../../src/notify/subscription.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const WHEN = { every: 'day', at: '06:30', timezone: 'UTC' } as const

export const reportTo = (channel: Channel, more: Partial<ReportSubscription> = {}): ReportSubscription => ({
  ...{ kind: 'report', id: 'route-12', channel, format: 'csv', ...WHEN, ...more },
})

export const backupTo = (channel: Channel, keep?: number): BackupSubscription => ({
  ...{ kind: 'backup', id: 'nightly', channel, ...WHEN, ...(keep === undefined ? {} : { keep }) },
})

/** A file of a test with a content. */
export function fileOf(content: string | Buffer): string {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, content)
  return path
}

/** What a sender is given to deliver a file under a name. */
export function sendingOf(
  subscription: ReportSubscription | BackupSubscription,
  name: string,
  path: string,
  signal = new AbortController().signal,
): Sending {
  const body = {
    ...({ type: 'file', kind: subscription.kind, fromDay: 20261129, toDay: 20261129, version: 1, name } as const),
    mediaType: 'text/csv',
  }
  const message = { id: `msg_${'a'.repeat(26)}`, subscription: subscription.id, createdAt: 0, body }
  const { size } = statSync(path)
  return { message, subscription, language: 'en', file: { path, bytes: size }, signal }
}

export const testSending = (subscription: ReportSubscription): Sending => ({
  message: { id: `msg_${'b'.repeat(26)}`, subscription: subscription.id, createdAt: 0, body: { type: 'test' } },
  ...{ subscription, language: 'en', file: null, signal: new AbortController().signal },
})
