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
import type { Session } from './session.ts'

const HEAD = `id, subscription, type, day, to_day AS "toDay", version, created_at AS "createdAt", hash,
  is_stale AS "isStale", state, attempts, next_at AS "nextAt", done_at AS "doneAt", error`
const COLUMNS = `${HEAD}, body`

const storable = (value: string | number | undefined): string | number | null =>
  typeof value === 'string' ? storableText(value) : (value ?? null)

/** Returns messages, newest first. */
export async function readMessages(
  session: Session,
  { limit, subscription, state, type, day, before }: MessageFilter,
): Promise<MessageHead[]> {
  const rows = await session.rows<HeadRow>(
    `SELECT ${HEAD} FROM message
     WHERE ($1::text IS NULL OR subscription = $1) AND ($2::text IS NULL OR state = $2)
       AND ($3::text IS NULL OR type = $3) AND ($4::int IS NULL OR day = $4)
       AND ($5::bigint IS NULL OR (created_at, id COLLATE "C") < ($5, $6::text))
     ORDER BY created_at DESC, id COLLATE "C" DESC LIMIT $7`,
    [subscription, state, type, day, before?.createdAt, before?.id, limit].map(storable),
  )
  return rows.map(headOfRow)
}

/** Returns a message; null if there is none. */
export async function readMessage(session: Session, id: string): Promise<StoredMessage | null> {
  const [row] = await session.rows<MessageRow>(`SELECT ${COLUMNS} FROM message WHERE id = $1`, [storableText(id)])
  return row === undefined ? null : messageOfRow(row)
}

/** Returns the newest version of each message about files whose days have changed since. */
export async function readStaleMessages(session: Session): Promise<MessageHead[]> {
  const rows = await session.rows<HeadRow>(
    `SELECT ${HEAD} FROM message WHERE is_stale = 1 AND NOT EXISTS (
       SELECT 1 FROM message AS later WHERE later.subscription = message.subscription
         AND later.type = message.type AND later.day = message.day AND later.version > message.version)`,
  )
  return rows.map(headOfRow)
}

/** Returns how many messages wait and have failed, and when the oldest one that waits was created. */
export async function countMessages(session: Session): Promise<MessageCounts> {
  const [counts] = await session.rows<MessageCounts>(
    `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'failed') AS failed,
       min(created_at) FILTER (WHERE state = 'waiting') AS "oldestAt" FROM message`,
  )
  return counts
}

/** Inserts a message; returns false if there is one of that version. */
export async function insertMessage(session: Session, message: NewMessage): Promise<boolean> {
  const { id, subscription, type, day, toDay, version, createdAt, body, hash } = message
  const inserted = await session.run(
    `INSERT INTO message (id, subscription, type, day, to_day, version, created_at, body, hash, state, next_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $7) ON CONFLICT DO NOTHING`,
    [id, subscription, type, day, toDay, version, createdAt, encodeMessage(body, id), hash],
  )
  return inserted === 1
}

/** Takes messages that are to be sent now; see NoticeStore. */
export async function claimMessages(
  session: Session,
  now: number,
  until: number,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await session.rows<MessageRow>(
    `UPDATE message SET attempts = attempts + 1, claimed_until = $2 WHERE id IN (
       SELECT id FROM message WHERE state = 'waiting' AND (next_at <= $1 OR next_at > $1 + ${LONGEST_PAUSE_MS}::bigint)
         AND (claimed_until <= $1 OR claimed_until > $1 + ${LONGEST_CLAIM_MS}::bigint)
         AND NOT EXISTS (
           SELECT 1 FROM message AS earlier WHERE earlier.subscription = message.subscription
             AND earlier.state = 'waiting' AND (earlier.created_at, earlier.id COLLATE "C") < (message.created_at, message.id COLLATE "C"))
       ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [now, until, limit],
  )
  const readable: StoredMessage[] = []
  for (const row of rows) {
    try {
      readable.push(messageOfRow(row))
    } catch (error) {
      if (!isDamage(error)) throw error
      // It fails, so that those after it are sent.
      await recordAttempt(session, { id: row.id, state: 'failed', nextAt: now, now, error: error.message })
    }
  }
  return readable
}

/** Records the outcome of an attempt. */
export async function recordAttempt(
  session: Session,
  { id, state, nextAt, now, error, hash }: Attempted,
): Promise<void> {
  await session.run(
    `UPDATE message SET state = $2, next_at = $3, claimed_until = 0, error = $4, hash = coalesce($5, hash),
       done_at = CASE WHEN $2 = 'waiting' THEN NULL ELSE $6::bigint END WHERE id = $1 AND state = 'waiting'`,
    [id, state, nextAt, error === null ? null : storableText(error), hash ?? null, now],
  )
}

/** Makes a message that failed wait again; returns whether there was one. */
export async function retryMessage(session: Session, id: string, now: number): Promise<boolean> {
  const retried = await session.run(
    `UPDATE message SET state = 'waiting', next_at = $2, attempts = 0, done_at = NULL
     WHERE id = $1 AND state = 'failed'`,
    [storableText(id), now],
  )
  return retried === 1
}

/** Notes that a file is still as it was sent. */
export async function confirmFile(session: Session, id: string): Promise<void> {
  await session.run('UPDATE message SET is_stale = 0 WHERE id = $1', [id])
}

/** Marks the files about a day as no longer certain to be true. */
export async function noteChanged(session: Session, day: number): Promise<void> {
  await session.run("UPDATE message SET is_stale = 1 WHERE type = 'file' AND day <= $1 AND to_day >= $1", [day])
}

/** Removes messages that were created before an instant (epoch ms) and wait no more. */
export async function forgetMessages(session: Session, before: number): Promise<void> {
  await session.run("DELETE FROM message WHERE created_at < $1 AND state <> 'waiting'", [before])
}
