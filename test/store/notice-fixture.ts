import type {
  NewMessage,
  Notice,
  NoticeCommit,
  NoticeReads,
  NoticeStore,
  StoredMessage,
} from '../../src/store/notices.ts'
import type { Store } from '../../src/store/open-store.ts'
import { LANDED_AT, UTC_DAY } from './landing-fixture.ts'

export const NOW = LANDED_AT
export const HOUR_MS = 3_600_000
/** What JSON may hold, and columns may not. */
export const HOSTILE = 'half \ud800, NUL \0, \u202e\u{1f9ca}'

export const put = (notices: NoticeStore, ...ids: readonly string[]): Promise<unknown> =>
  Promise.all(ids.map((id) => notices.putSubscription(id, '{}', NOW)))

export const noticeOf = (device: number, more: Partial<Notice> = {}): Notice => {
  return { shard: 0, day: UTC_DAY, device, subscription: 'one', before: 0, body: '{}', ...more }
}

/** A look through shard 0 of a store, that has found nothing. */
export async function lookAt({ notices, rollups }: Store, more: Partial<NoticeCommit> = {}): Promise<NoticeCommit> {
  const { revision } = await notices.noticed(0)
  return {
    ...{ shard: 0, version: await rollups.version(0), revision, at: NOW },
    ...{ days: [], told: [], notices: [], gone: [], ...more },
  }
}

let made = 0
export const messageOf = (more: Partial<NewMessage> = {}): NewMessage => ({
  ...{ id: `msg_${String(++made).padStart(6, '0')}`, subscription: 'one', type: 'exceptions', day: UTC_DAY },
  ...{ toDay: UTC_DAY, version: 1, createdAt: NOW, body: '{"type":"test"}', hash: null, ...more },
})

/** Returns messages with their bodies, newest first. */
export async function wholeMessages(notices: NoticeReads): Promise<StoredMessage[]> {
  const heads = await notices.messages({ limit: 1000 })
  return Promise.all(heads.map(async ({ id }) => (await notices.message(id)) as StoredMessage))
}

export const idsOf = (messages: readonly { id: string }[]): string[] => messages.map(({ id }) => id).sort()
