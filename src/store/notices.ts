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

/** When a shard was last compared with what was reported; see notify/look.ts. */
export interface Noticed {
  /** Number of comparisons so far. */
  revision: number
  /** Instant of the rollup that was compared, epoch ms. */
  at: number
}

/** A shard that has never been compared. */
export const NEVER_NOTICED: Noticed = { revision: 0, at: 0 }

/** Exceptions reported for a day of a shard, as bits by device number. Devices without any are left out. */
export interface Told {
  /** Epoch day. */
  day: number
  subscription: string
  bits: ReadonlyMap<number, number>
}

/** Key of a notice. */
export interface NoticeKey {
  shard: number
  day: number
  device: number
  subscription: string
}

/** A device-day whose exceptions differ from those that messages have reported. */
export interface Notice extends NoticeKey {
  /** Exceptions that messages have reported, as bits. */
  before: number
  /** JSON; see notify/notice.ts. */
  body: string
}

/** A stored notice, with the revision of the comparison that wrote it. */
export interface KeptNotice extends Notice {
  revision: number
}

/** The result of comparing a shard; stored completely or not at all. */
export interface NoticeCommit {
  shard: number
  /** The shard's version of rollups, and what `noticed` gave: if either has changed, nothing is written. */
  version: number
  revision: number
  /** As of when, epoch ms. */
  at: number
  /** Due days that were compared: their rollups have changed, so files about them may be outdated. */
  days: readonly number[]
  told: readonly Told[]
  notices: readonly Notice[]
  /** Notices to remove. */
  gone: readonly NoticeKey[]
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

/** A stored message without its body. */
export interface MessageHead extends Omit<NewMessage, 'body'> {
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

export type StoredMessage = MessageHead & Pick<NewMessage, 'body'>

/** The state of a message after an attempt. */
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
  /** Returns the shards to compare: those with due days, and those rolled up since they were compared. */
  dueShards(): Promise<number[]>
  /** Returns the days (epoch days) of a shard whose rollups have changed since it was compared. */
  dueDays(shard: number): Promise<number[]>
  noticed(shard: number): Promise<Noticed>
  /** Returns the instant of the earliest rollup that was compared last, over all shards (epoch ms); 0 if a shard never was. */
  noticedUpTo(): Promise<number>
  /** Returns the exceptions reported for days of a shard (epoch days, both included). */
  told(shard: number, fromDay: number, toDay: number): Promise<Told[]>
  noticesOn(shard: number, day: number): Promise<KeptNotice[]>
  /** Returns the days for which a subscription has notices, ascending. */
  noticedDays(subscription: string): Promise<number[]>
  /** Returns at most `limit` notices of a subscription about a day, in any order. */
  noticesOf(subscription: string, day: number, limit: number): Promise<KeptNotice[]>
  /** Returns messages, newest first. */
  messages(filter: MessageFilter): Promise<MessageHead[]>
  /** @throws CoolerError `store-damaged` if its body cannot be read */
  message(id: string): Promise<StoredMessage | null>
  /** Returns the newest version of each message about files whose days have changed since. */
  staleMessages(): Promise<MessageHead[]>
  messageCounts(): Promise<MessageCounts>
}

/** Stores subscriptions, reported exceptions, notices and messages. */
export interface NoticeStore extends NoticeReads {
  /** Creates or replaces a subscription, and takes it into use again if it had ended. */
  putSubscription(id: string, body: string, now: number): Promise<void>
  /** Ends a subscription, for a reason that people can read. */
  endSubscription(id: string, why: string): Promise<void>
  /** Removes a subscription with its notices and reported exceptions; messages stay. Returns false if it does not exist. */
  removeSubscription(id: string): Promise<boolean>
  /** Returns false and writes nothing if the shard has been rolled up or compared meanwhile. */
  note(commit: NoticeCommit): Promise<boolean>
  /**
   * Stores messages and removes the notices that they report. Returns false and writes nothing if one of the notices has
   * changed, or if a message of the same version exists.
   */
  compose(messages: readonly NewMessage[], notices: readonly KeptNotice[]): Promise<boolean>
  /**
   * Claims messages that are due, and counts an attempt for each. Only the oldest waiting message of a subscription can
   * be claimed. Nobody else can claim it until `until` (epoch ms). Messages that cannot be read fail.
   */
  claim(now: number, until: number, limit: number): Promise<StoredMessage[]>
  /** Records the outcome of an attempt. */
  attempted(attempt: Attempted): Promise<void>
  /** Makes a failed message wait again; returns false if it has not failed. */
  retry(id: string, now: number): Promise<boolean>
  /** Records that the file of a message is not outdated. */
  confirm(id: string): Promise<void>
  /** Removes messages created before an instant (epoch ms), and reported exceptions of days before an epoch day. */
  forgetNotices(beforeAt: number, beforeDay: number): Promise<void>
}
