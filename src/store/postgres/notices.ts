import { decodeTold } from '../codec/told-codec.ts'
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
import type { Postgres } from './database.ts'
import { refuseNewerNow } from './guard.ts'
import {
  claimMessages,
  confirmFile,
  countMessages,
  forgetMessages,
  insertMessage,
  readMessage,
  readMessages,
  readStaleMessages,
  recordAttempt,
  retryMessage,
} from './messages.ts'
import { writeLook } from './noted.ts'
import type { Session } from './session.ts'
import { upsert } from './upsert.ts'

const NOTICE = 'shard, day, device, subscription, revision, told_before AS before, body'

export class PostgresNotices implements NoticeStore {
  readonly #session: Session
  readonly #database: Postgres
  readonly #shards: number

  constructor(session: Session, database: Postgres, shards: number) {
    this.#session = session
    this.#database = database
    this.#shards = shards
  }

  subscriptions(): Promise<StoredSubscription[]> {
    return this.#session.rows(
      `SELECT id, body, created_at AS "createdAt", changed_at AS "changedAt", ended_why AS "endedWhy"
       FROM subscription ORDER BY id COLLATE "C"`,
    )
  }

  putSubscription(id: string, body: string, now: number): Promise<void> {
    return this.#write(async (session) => {
      await session.run(
        `INSERT INTO subscription (id, body, created_at, changed_at) VALUES ($1, $2, $3, $3)
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, changed_at = excluded.changed_at, ended_why = NULL`,
        [id, body, now],
      )
    })
  }

  endSubscription(id: string, why: string): Promise<void> {
    return this.#write(async (session) => {
      await session.run('UPDATE subscription SET ended_why = $2 WHERE id = $1', [id, storableText(why)])
    })
  }

  removeSubscription(id: string): Promise<boolean> {
    return this.#write(async (session) => {
      // First, so that no look that is being written adds to the rest.
      const removed = await session.run('DELETE FROM subscription WHERE id = $1', [id])
      await session.run('DELETE FROM told WHERE shard >= 0 AND subscription = $1', [id])
      await session.run('DELETE FROM notice WHERE shard >= 0 AND subscription = $1', [id])
      return removed === 1
    })
  }

  async dueShards(): Promise<number[]> {
    const rows = await this.#session.rows<{ shard: number }>(`SELECT shard FROM notice_due UNION
       SELECT shard.shard FROM shard LEFT JOIN noticed ON noticed.shard = shard.shard
       WHERE shard.rolled_up_at <> coalesce(noticed.at, -1) ORDER BY shard`)
    return rows.map(({ shard }) => shard)
  }

  async dueDays(shard: number): Promise<number[]> {
    const rows = await this.#session.rows<{ day: number }>('SELECT day FROM notice_due WHERE shard = $1 ORDER BY day', [
      shard,
    ])
    return rows.map(({ day }) => day)
  }

  async noticed(shard: number): Promise<Noticed> {
    const [row] = await this.#session.rows<Noticed>('SELECT revision, at FROM noticed WHERE shard = $1', [shard])
    return row ?? NEVER_NOTICED
  }

  async noticedUpTo(): Promise<number> {
    const [{ count, at }] = await this.#session.rows<{ count: number; at: number }>(
      'SELECT count(*) AS count, min(at) AS at FROM noticed WHERE shard >= 0',
    )
    return count < this.#shards ? 0 : at
  }

  async told(shard: number, fromDay: number, toDay: number): Promise<Told[]> {
    const rows = await this.#session.rows<{ day: number; subscription: string; body: Buffer }>(
      'SELECT day, subscription, body FROM told WHERE shard = $1 AND day BETWEEN $2 AND $3 ORDER BY day',
      [shard, fromDay, toDay],
    )
    return rows.map(({ body, ...row }) => ({ ...row, bits: decodeTold(body, { shard, ...row }, this.#shards) }))
  }

  noticesOn(shard: number, day: number): Promise<KeptNotice[]> {
    return this.#session.rows(`SELECT ${NOTICE} FROM notice WHERE shard = $1 AND day = $2`, [shard, day])
  }

  async noticedDays(subscription: string): Promise<number[]> {
    const rows = await this.#session.rows<{ day: number }>(
      'SELECT DISTINCT day FROM notice WHERE shard >= 0 AND subscription = $1 ORDER BY day',
      [subscription],
    )
    return rows.map(({ day }) => day)
  }

  noticesOf(subscription: string, day: number, limit: number): Promise<KeptNotice[]> {
    return this.#session.rows(
      `SELECT ${NOTICE} FROM notice WHERE shard >= 0 AND subscription = $1 AND day = $2 LIMIT $3`,
      [subscription, day, limit],
    )
  }

  note(commit: NoticeCommit): Promise<boolean> {
    const { shard, version, revision, at } = commit
    return allOrNothing(this.#database, async (session) => {
      await refuseNewerNow(session)
      const [now] = await session.rows<{ version: number }>('SELECT version FROM shard WHERE shard = $1 FOR UPDATE', [
        shard,
      ])
      const [noticed = NEVER_NOTICED] = await session.rows<Noticed>(
        'SELECT revision, at FROM noticed WHERE shard = $1',
        [shard],
      )
      if (now.version !== version || noticed.revision !== revision) return false
      await writeLook(session, this.#shards, commit)
      await upsert(session, 'noticed', { key: ['shard'], others: ['revision', 'at'] }, [[shard, revision + 1, at]])
      return true
    })
  }

  compose(messages: readonly NewMessage[], told: readonly KeptNotice[]): Promise<boolean> {
    return allOrNothing(this.#database, async (session) => {
      await refuseNewerNow(session)
      // One after the other: two that delete the same notices in different orders would wait for each other.
      const ids = [...new Set(messages.map(({ subscription }) => subscription))]
      await session.rows('SELECT 1 FROM subscription WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE', [ids])
      const removed = await session.run(
        `DELETE FROM notice USING unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[])
           AS one (shard, day, device, subscription, revision)
         WHERE notice.shard = one.shard AND notice.day = one.day AND notice.device = one.device
           AND notice.subscription = one.subscription AND notice.revision = one.revision`,
        [
          told.map(({ shard }) => shard),
          told.map(({ day }) => day),
          told.map(({ device }) => device),
          told.map(({ subscription }) => subscription),
          told.map(({ revision }) => revision),
        ],
      )
      if (removed !== told.length) return false
      for (const message of messages) if (!(await insertMessage(session, message))) return false
      return true
    })
  }

  messages(filter: MessageFilter): Promise<MessageHead[]> {
    return readMessages(this.#session, filter)
  }

  message(id: string): Promise<StoredMessage | null> {
    return readMessage(this.#session, id)
  }

  staleMessages(): Promise<MessageHead[]> {
    return readStaleMessages(this.#session)
  }

  messageCounts(): Promise<MessageCounts> {
    return countMessages(this.#session)
  }

  claim(now: number, until: number, limit: number): Promise<StoredMessage[]> {
    return this.#write((session) => claimMessages(session, now, until, limit))
  }

  attempted(attempt: Attempted): Promise<void> {
    return this.#write((session) => recordAttempt(session, attempt))
  }

  retry(id: string, now: number): Promise<boolean> {
    return this.#write((session) => retryMessage(session, id, now))
  }

  confirm(id: string): Promise<void> {
    return this.#write((session) => confirmFile(session, id))
  }

  forgetNotices(beforeAt: number, beforeDay: number): Promise<void> {
    return this.#write(async (session) => {
      await forgetMessages(session, beforeAt)
      await session.run('DELETE FROM told WHERE shard >= 0 AND day < $1', [beforeDay])
    })
  }

  #write<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (session) => {
      await refuseNewerNow(session)
      return work(session)
    })
  }
}
