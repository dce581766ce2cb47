/** A subscription as it is stored; see notify/subscription.ts. Instants are epoch ms. */
export interface StoredSubscription {
  id: string
  /** JSON. */
  body: string
  createdAt: number
  changedAt: number
  /** Why nothing is sent any more; null while it is in use. */
  endedWhy: string | null
}

/** A shard as it was last looked through for what is to be told. */
export interface Noticed {
  /** How often it was. */
  revision: number
  /** As of when, epoch ms. */
  at: number
}

/** What has been told of the devices of a shard on a day: exceptions as bits by device number; none are left out. */
export interface Told {
  /** Epoch day. */
  day: number
  subscription: string
  bits: ReadonlyMap<number, number>
}

/** What of a notice says which it is. */
export interface NoticeKey {
  shard: number
  day: number
  device: number
  subscription: string
}

/** A device-day of which something is to be told. */
export interface Notice extends NoticeKey {
  /** The exceptions that messages told of, as bits. */
  before: number
  /** JSON; see notify/notice.ts. */
  body: string
}

/** A stored notice; its revision is that of the look through its shard that wrote it. */
export interface KeptNotice extends Notice {
  revision: number
}

/** What a look through a shard has found, all or nothing. */
export interface NoticeCommit {
  shard: number
  /** The shard's version of rollups, and what `noticed` gave: if either has changed, nothing is written. */
  version: number
  revision: number
  /** As of when, epoch ms. */
  at: number
  /** Days that were looked at. */
  days: readonly number[]
  told: readonly Told[]
  notices: readonly Notice[]
  /** Notices that there are no more. */
  gone: readonly NoticeKey[]
  /** Days whose rollups have changed: files about them may be no longer true. */
  changedDays: readonly number[]
}

export const MESSAGE_STATES = ['waiting', 'sent', 'failed'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** A message to store. Days are epoch days, instants epoch ms. */
export interface NewMessage {
  id: string
  subscription: string
  type: string
  day: number
  toDay: number
  /** 1 for the first about the day; there is one message of each version. */
  version: number
  createdAt: number
  /** JSON. */
  body: string
  /** Hash of the content of a file; null for other messages. */
  hash: string | null
}

export interface StoredMessage extends NewMessage {
  /** Days of its file have changed since. */
  isStale: boolean
  state: MessageState
  attempts: number
  nextAt: number
  /** When it was sent or given up. */
  doneAt: number | null
  /** Why the last attempt failed. */
  error: string | null
}

/** What becomes of a message after an attempt. */
export interface Attempted {
  id: string
  state: MessageState
  /** When to try again, for one that waits. */
  nextAt: number
  now: number
  error: string | null
  /** The hash of a file as it was sent, where it has changed since the message was written. */
  hash?: string
}

export interface MessageFilter {
  limit: number
  subscription?: string | undefined
  state?: MessageState | undefined
  type?: string | undefined
  day?: number | undefined
  /** Only messages created before this one. */
  before?: { createdAt: number; id: string } | undefined
}

export interface MessageCounts {
  waiting: number
  failed: number
  /** When the oldest one that waits was created, epoch ms; null for none. */
  oldestAt: number | null
}

export interface NoticeReads {
  /** Returns all subscriptions in ascending order of their ids. */
  subscriptions(): Promise<StoredSubscription[]>
  /** Returns the shards with days that are due. */
  dueShards(): Promise<number[]>
  /** Returns the days of a shard whose rollups have changed since it was looked through. */
  dueDays(shard: number): Promise<number[]>
  noticed(shard: number): Promise<Noticed>
  /** Returns as of when all shards have been looked through, epoch ms; 0 where one never was. */
  noticedUpTo(): Promise<number>
  /** Returns what has been told of days of a shard (epoch days, both included). */
  told(shard: number, fromDay: number, toDay: number): Promise<Told[]>
  noticesOn(shard: number, day: number): Promise<KeptNotice[]>
  /** Returns the days of which a subscription has notices, ascending. */
  noticedDays(subscription: string): Promise<number[]>
  /** Returns at most `limit` notices of a subscription about a day, in any order. */
  noticesOf(subscription: string, day: number, limit: number): Promise<KeptNotice[]>
  /** Returns messages, newest first. */
  messages(filter: MessageFilter): Promise<StoredMessage[]>
  message(id: string): Promise<StoredMessage | null>
  /** Returns the newest version of each message about files whose days have changed since. */
  staleMessages(): Promise<StoredMessage[]>
  messageCounts(): Promise<MessageCounts>
}

/** Keeps who is told what, what has been told, and the messages. */
export interface NoticeStore extends NoticeReads {
  /** Creates or replaces a subscription, and takes it into use again if it had ended. */
  putSubscription(id: string, body: string, now: number): Promise<void>
  /** Ends a subscription, for a reason that people can read. */
  endSubscription(id: string, why: string): Promise<void>
  /** Removes a subscription with all that was told and is to be told; its messages stay. Returns whether there was one. */
  removeSubscription(id: string): Promise<boolean>
  /** Returns false and writes nothing if the shard has been rolled up or looked through meanwhile. */
  note(commit: NoticeCommit): Promise<boolean>
  /**
   * Stores messages, and removes the notices that they tell of. Returns false and writes nothing if one of these has
   * changed, or if there is a message of one of the versions.
   */
  compose(messages: readonly NewMessage[], told: readonly KeptNotice[]): Promise<boolean>
  /**
   * Takes messages that are to be sent now: of each subscription the oldest that waits. Nobody else takes them until
   * `until` (epoch ms). Counts an attempt.
   */
  claim(now: number, until: number, limit: number): Promise<StoredMessage[]>
  /** Records what became of an attempt. */
  attempted(attempt: Attempted): Promise<void>
  /** Makes a message that failed wait again; returns whether there was one. */
  retry(id: string, now: number): Promise<boolean>
  /** Notes that a file is still as it was sent. */
  confirm(id: string): Promise<void>
  /** Removes messages that were created, and what was told of days, before an instant (epoch ms) and a day. */
  forgetNotices(beforeAt: number, beforeDay: number): Promise<void>
}
