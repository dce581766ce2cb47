import { decodeTold, encodeTold } from '../codec/told-codec.ts'
import type {
  Attempted,
  KeptNotice,
  MessageCounts,
  MessageFilter,
  MessageHead,
  NewMessage,
  NoticeCommit,
  Noticed,
  NoticeStore,
  StoredMessage,
  StoredSubscription,
  Told,
} from '../notices.ts'
import { NEVER_NOTICED } from '../notices.ts'
import { storableText } from '../stored-text.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'
import { SqliteMessages } from './messages.ts'

const NOTICE = 'shard, day, device, subscription, revision, told_before AS before, body'

export class SqliteNotices implements NoticeStore {
  readonly #database: Sqlite
  readonly #shards: number
  readonly #messages: SqliteMessages

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
    this.#messages = new SqliteMessages(database)
  }

  async subscriptions(): Promise<StoredSubscription[]> {
    return this.#sql(
      `SELECT id, body, created_at AS createdAt, changed_at AS changedAt, ended_why AS endedWhy
       FROM subscription ORDER BY id`,
    ).all() as StoredSubscription[]
  }

  async putSubscription(id: string, body: string, now: number): Promise<void> {
    writeTransaction(this.#database, () => {
      this.#sql(
        `INSERT INTO subscription (id, body, created_at, changed_at) VALUES (@id, @body, @now, @now)
         ON CONFLICT DO UPDATE SET body = excluded.body, changed_at = excluded.changed_at, ended_why = NULL`,
      ).run({ id, body, now })
    })
  }

  async endSubscription(id: string, why: string): Promise<void> {
    writeTransaction(this.#database, () => {
      this.#sql('UPDATE subscription SET ended_why = ? WHERE id = ?').run(storableText(why), id)
    })
  }

  async removeSubscription(id: string): Promise<boolean> {
    return writeTransaction(this.#database, () => {
      this.#sql('DELETE FROM told WHERE subscription = ?').run(id)
      this.#sql('DELETE FROM notice WHERE subscription = ?').run(id)
      return this.#sql('DELETE FROM subscription WHERE id = ?').run(id).changes === 1
    })
  }

  async dueShards(): Promise<number[]> {
    const select = this.#sql(
      `SELECT shard FROM notice_due UNION
       SELECT shard FROM shard LEFT JOIN noticed USING (shard) WHERE rolled_up_at <> coalesce(at, -1) ORDER BY shard`,
    )
    return select.pluck().all() as number[]
  }

  async dueDays(shard: number): Promise<number[]> {
    return this.#sql('SELECT day FROM notice_due WHERE shard = ? ORDER BY day').pluck().all(shard) as number[]
  }

  async noticed(shard: number): Promise<Noticed> {
    return this.#noticed(shard)
  }

  #noticed(shard: number): Noticed {
    return (
      (this.#sql('SELECT revision, at FROM noticed WHERE shard = ?').get(shard) as Noticed | undefined) ?? NEVER_NOTICED
    )
  }

  async noticedUpTo(): Promise<number> {
    const { count, at } = this.#sql('SELECT count(*) AS count, min(at) AS at FROM noticed').get() as {
      count: number
      at: number
    }
    return count < this.#shards ? 0 : at
  }

  async told(shard: number, fromDay: number, toDay: number): Promise<Told[]> {
    const rows = this.#sql(
      'SELECT day, subscription, body FROM told WHERE shard = ? AND day BETWEEN ? AND ? ORDER BY day',
    ).all(shard, fromDay, toDay) as { day: number; subscription: string; body: Buffer }[]
    return rows.map(({ body, ...row }) => ({ ...row, bits: decodeTold(body, { shard, ...row }, this.#shards) }))
  }

  async noticesOn(shard: number, day: number): Promise<KeptNotice[]> {
    return this.#sql(`SELECT ${NOTICE} FROM notice WHERE shard = ? AND day = ?`).all(shard, day) as KeptNotice[]
  }

  async noticedDays(subscription: string): Promise<number[]> {
    const select = this.#sql('SELECT DISTINCT day FROM notice WHERE subscription = ? ORDER BY day')
    return select.pluck().all(subscription) as number[]
  }

  async noticesOf(subscription: string, day: number, limit: number): Promise<KeptNotice[]> {
    const select = this.#sql(`SELECT ${NOTICE} FROM notice WHERE subscription = ? AND day = ? LIMIT ?`)
    return select.all(subscription, day, limit) as KeptNotice[]
  }

  async note(commit: NoticeCommit): Promise<boolean> {
    const { shard, version, revision, at } = commit
    return writeTransaction(this.#database, () => {
      const now = this.#sql('SELECT version FROM shard WHERE shard = ?').get(shard) as { version: number } | undefined
      if ((now?.version ?? 0) !== version || this.#noticed(shard).revision !== revision) return false
      this.#write(commit)
      this.#sql(
        `INSERT INTO noticed (shard, revision, at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET revision = excluded.revision, at = excluded.at`,
      ).run(shard, revision + 1, at)
      return true
    })
  }

  /** Leaves out subscriptions that were removed meanwhile. */
  #write({ shard, revision, days, told, notices, gone }: NoticeCommit): void {
    const known = new Set(this.#sql('SELECT id FROM subscription').pluck().all())
    const done = this.#sql('DELETE FROM notice_due WHERE shard = ? AND day = ?')
    for (const day of days) {
      done.run(shard, day)
      this.#messages.noteChanged(day)
    }
    const forget = this.#sql('DELETE FROM told WHERE shard = ? AND day = ? AND subscription = ?')
    const tell = this.#sql(
      `INSERT INTO told (shard, day, subscription, body) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body`,
    )
    for (const { day, subscription, bits } of told) {
      if (!known.has(subscription)) continue
      if (bits.size === 0) forget.run(shard, day, subscription)
      else tell.run(shard, day, subscription, encodeTold(bits, { shard, day, subscription }, this.#shards))
    }
    const remove = this.#sql('DELETE FROM notice WHERE shard = ? AND day = ? AND device = ? AND subscription = ?')
    for (const { day, device, subscription } of gone) remove.run(shard, day, device, subscription)
    const put = this.#sql(`INSERT OR REPLACE INTO notice (shard, day, device, subscription, revision, told_before, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`)
    for (const { day, device, subscription, before, body } of notices)
      if (known.has(subscription)) put.run(shard, day, device, subscription, revision + 1, before, body)
  }

  async compose(messages: readonly NewMessage[], told: readonly KeptNotice[]): Promise<boolean> {
    return allOrNothing(this.#database, () => {
      const remove = this.#sql(
        'DELETE FROM notice WHERE shard = ? AND day = ? AND device = ? AND subscription = ? AND revision = ?',
      )
      for (const { shard, day, device, subscription, revision } of told)
        if (remove.run(shard, day, device, subscription, revision).changes === 0) return false
      return messages.every((message) => this.#messages.insert(message))
    })
  }

  async messages(filter: MessageFilter): Promise<MessageHead[]> {
    return this.#messages.page(filter)
  }

  async message(id: string): Promise<StoredMessage | null> {
    return this.#messages.one(id)
  }

  async staleMessages(): Promise<MessageHead[]> {
    return this.#messages.stale()
  }

  async messageCounts(): Promise<MessageCounts> {
    return this.#messages.counts()
  }

  async claim(now: number, until: number, limit: number): Promise<StoredMessage[]> {
    return writeTransaction(this.#database, () => this.#messages.claim(now, until, limit))
  }

  async attempted(attempt: Attempted): Promise<void> {
    writeTransaction(this.#database, () => this.#messages.attempted(attempt))
  }

  async retry(id: string, now: number): Promise<boolean> {
    return writeTransaction(this.#database, () => this.#messages.retry(id, now))
  }

  async confirm(id: string): Promise<void> {
    writeTransaction(this.#database, () => this.#messages.confirm(id))
  }

  async forgetNotices(beforeAt: number, beforeDay: number): Promise<void> {
    writeTransaction(this.#database, () => {
      this.#messages.forget(beforeAt)
      this.#sql('DELETE FROM told WHERE day < ?').run(beforeDay)
    })
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

/**
 * Marks days of a shard as changed, so that they are compared with what was reported. Call it in the transaction that
 * changes them. Does nothing if no subscription is in use.
 */
export function markForNotices(database: Sqlite, shard: number, days: Iterable<number>): void {
  const mark = prepared(
    database,
    `INSERT INTO notice_due (shard, day) SELECT ?, ? WHERE EXISTS (SELECT 1 FROM subscription WHERE ended_why IS NULL)
     ON CONFLICT DO NOTHING`,
  )
  for (const day of new Set(days)) mark.run(shard, day)
}
