import { encodeMessage } from '../codec/message-codec.ts'
import { isDamage } from '../damaged-events.ts'
import {
  type HeadRow,
  headOfRow,
  LONGEST_CLAIM_MS,
  LONGEST_PAUSE_MS,
  type MessageRow,
  messageOfRow,
} from '../message-row.ts'
import type { Attempted, MessageCounts, MessageFilter, MessageHead, NewMessage, StoredMessage } from '../notices.ts'
import { storableText } from '../stored-text.ts'
import { prepared, type Sqlite } from './connection.ts'

const HEAD = `id, subscription, type, day, to_day AS toDay, version, created_at AS createdAt, hash,
  is_stale AS isStale, state, attempts, next_at AS nextAt, done_at AS doneAt, error`
const COLUMNS = `${HEAD}, body`

/** Stores messages; see NoticeStore for what each method does. The caller opens the transactions to write in. */
export class SqliteMessages {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  page({ limit, subscription, state, type, day, before }: MessageFilter): MessageHead[] {
    const rows = this.#sql(
      `SELECT ${HEAD} FROM message
       WHERE (@subscription IS NULL OR subscription = @subscription) AND (@state IS NULL OR state = @state)
         AND (@type IS NULL OR type = @type) AND (@day IS NULL OR day = @day)
         AND (@beforeAt IS NULL OR (created_at, id) < (@beforeAt, @beforeId))
       ORDER BY created_at DESC, id DESC LIMIT @limit`,
    ).all({
      ...{ limit, subscription: subscription ?? null, state: state ?? null, type: type ?? null, day: day ?? null },
      ...{ beforeAt: before?.createdAt ?? null, beforeId: before?.id ?? null },
    })
    return (rows as HeadRow[]).map(headOfRow)
  }

  one(id: string): StoredMessage | null {
    const row = this.#sql(`SELECT ${COLUMNS} FROM message WHERE id = ?`).get(id) as MessageRow | undefined
    return row === undefined ? null : messageOfRow(row)
  }

  stale(): MessageHead[] {
    const rows = this.#sql(
      `SELECT ${HEAD} FROM message WHERE is_stale = 1 AND NOT EXISTS (
         SELECT 1 FROM message AS later WHERE later.subscription = message.subscription
           AND later.type = message.type AND later.day = message.day AND later.version > message.version)`,
    ).all()
    return (rows as HeadRow[]).map(headOfRow)
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
    const values = [id, subscription, type, day, toDay, version, createdAt, encodeMessage(body, id), hash, createdAt]
    return insert.run(...values).changes === 1
  }

  claim(now: number, until: number, limit: number): StoredMessage[] {
    const rows = this.#sql(
      `UPDATE message SET attempts = attempts + 1, claimed_until = @until WHERE id IN (
         SELECT id FROM message WHERE state = 'waiting' AND (next_at <= @now OR next_at > @now + ${LONGEST_PAUSE_MS})
           AND (claimed_until <= @now OR claimed_until > @now + ${LONGEST_CLAIM_MS})
           AND NOT EXISTS (
             SELECT 1 FROM message AS earlier WHERE earlier.subscription = message.subscription
               AND earlier.state = 'waiting' AND (earlier.created_at, earlier.id) < (message.created_at, message.id))
         ORDER BY next_at LIMIT @limit)
       RETURNING ${COLUMNS}`,
    ).all({ now, until, limit })
    return (rows as MessageRow[]).flatMap((row) => this.#readable(row, now))
  }

  /** A message that is damaged fails, so that those after it are sent. */
  #readable(row: MessageRow, now: number): StoredMessage[] {
    try {
      return [messageOfRow(row)]
    } catch (error) {
      if (!isDamage(error)) throw error
      this.attempted({ id: row.id, state: 'failed', nextAt: now, now, error: error.message })
      return []
    }
  }

  attempted({ id, state, nextAt, now, error, hash }: Attempted): void {
    this.#sql(
      `UPDATE message SET state = @state, next_at = @nextAt, claimed_until = 0, error = @error,
         hash = coalesce(@hash, hash), done_at = CASE WHEN @state = 'waiting' THEN NULL ELSE @now END
       WHERE id = @id AND state = 'waiting'`,
    ).run({ id, state, nextAt, error: error === null ? null : storableText(error), hash: hash ?? null, now })
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
    this.#sql("UPDATE message SET is_stale = 1 WHERE type = 'file' AND day <= ? AND to_day >= ?").run(day, day)
  }

  forget(before: number): void {
    this.#sql("DELETE FROM message WHERE created_at < ? AND state <> 'waiting'").run(before)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
