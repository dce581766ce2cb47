import { decodeMessage, encodeMessage } from '../codec/message-codec.ts'
import type { Attempted, MessageCounts, MessageFilter, NewMessage, StoredMessage } from '../notices.ts'
import { prepared, type Sqlite } from './connection.ts'

const COLUMNS = `id, subscription, type, day, to_day AS toDay, version, created_at AS createdAt, body, hash,
  is_stale AS isStale, state, attempts, next_at AS nextAt, done_at AS doneAt, error`

type Row = Omit<StoredMessage, 'body' | 'isStale'> & { body: Buffer; isStale: number }

const asMessage = (row: Row): StoredMessage => ({
  ...row,
  body: decodeMessage(row.body, row.id),
  isStale: row.isStale !== 0,
})

/** A claim that ends later than this was made by a clock that was ahead. */
const LONGEST_CLAIM_MS = 60 * 60_000
/** So is a pause before a next attempt that is longer. */
const LONGEST_PAUSE_MS = 48 * 60 * 60_000

/** Stores messages; see NoticeStore for what each method does. The caller opens the transactions to write in. */
export class SqliteMessages {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  page({ limit, subscription, state, type, day, before }: MessageFilter): StoredMessage[] {
    const rows = this.#sql(
      `SELECT ${COLUMNS} FROM message
       WHERE (?1 IS NULL OR subscription = ?1) AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR type = ?3)
         AND (?4 IS NULL OR day = ?4) AND (?5 IS NULL OR (created_at, id) < (?5, ?6))
       ORDER BY created_at DESC, id DESC LIMIT ?7`,
    ).all(subscription ?? null, state ?? null, type ?? null, day ?? null, before?.createdAt ?? null, before?.id, limit)
    return (rows as Row[]).map(asMessage)
  }

  one(id: string): StoredMessage | null {
    const row = this.#sql(`SELECT ${COLUMNS} FROM message WHERE id = ?`).get(id) as Row | undefined
    return row === undefined ? null : asMessage(row)
  }

  stale(): StoredMessage[] {
    const rows = this.#sql(
      `SELECT ${COLUMNS} FROM message WHERE is_stale = 1 AND NOT EXISTS (
         SELECT 1 FROM message AS later WHERE later.subscription = message.subscription
           AND later.type = message.type AND later.day = message.day AND later.version > message.version)`,
    ).all()
    return (rows as Row[]).map(asMessage)
  }

  counts(): MessageCounts {
    return this.#sql(
      `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'failed') AS failed,
         min(created_at) FILTER (WHERE state = 'waiting') AS oldestAt FROM message`,
    ).get() as MessageCounts
  }

  /** Returns false if there is a message of that version. */
  insert({ id, subscription, type, day, toDay, version, createdAt, body, hash }: NewMessage): boolean {
    const insert = this.#sql(
      `INSERT INTO message (id, subscription, type, day, to_day, version, created_at, body, hash, state, next_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING`,
    )
    const values = [id, subscription, type, day, toDay, version, createdAt, encodeMessage(body), hash, createdAt]
    return insert.run(...values).changes === 1
  }

  claim(now: number, until: number, limit: number): StoredMessage[] {
    const rows = this.#sql(
      `UPDATE message SET attempts = attempts + 1, claimed_until = ?2 WHERE id IN (
         SELECT id FROM message WHERE state = 'waiting' AND (next_at <= ?1 OR next_at > ?1 + ${LONGEST_PAUSE_MS})
           AND (claimed_until <= ?1 OR claimed_until > ?1 + ${LONGEST_CLAIM_MS})
           AND NOT EXISTS (
             SELECT 1 FROM message AS earlier WHERE earlier.subscription = message.subscription
               AND earlier.state = 'waiting' AND (earlier.created_at, earlier.id) < (message.created_at, message.id))
         ORDER BY next_at LIMIT ?3)
       RETURNING ${COLUMNS}`,
    ).all(now, until, limit)
    return (rows as Row[]).map(asMessage)
  }

  attempted({ id, state, nextAt, now, error, hash }: Attempted): void {
    this.#sql(
      `UPDATE message SET state = ?2, next_at = ?3, claimed_until = 0, error = ?4, hash = coalesce(?5, hash),
         done_at = CASE WHEN ?2 = 'waiting' THEN NULL ELSE ?6 END WHERE id = ?1 AND state = 'waiting'`,
    ).run(id, state, nextAt, error, hash ?? null, now)
  }

  retry(id: string, now: number): boolean {
    const retry = this.#sql(
      "UPDATE message SET state = 'waiting', next_at = ?, attempts = 0, done_at = NULL WHERE id = ? AND state = 'failed'",
    )
    return retry.run(now, id).changes === 1
  }

  confirm(id: string): void {
    this.#sql('UPDATE message SET is_stale = 0 WHERE id = ?').run(id)
  }

  /** Marks the files about a day as no longer certain to be true. */
  noteChanged(day: number): void {
    this.#sql("UPDATE message SET is_stale = 1 WHERE type = 'file' AND day <= ?1 AND to_day >= ?1").run(day)
  }

  forget(before: number): void {
    this.#sql("DELETE FROM message WHERE created_at < ? AND state <> 'waiting'").run(before)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
