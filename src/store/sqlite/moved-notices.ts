import { encodeTold } from '../codec/told-codec.ts'
import { DayMarks } from '../day-marks.ts'
import { type MarkRow, MESSAGE_COLUMNS, markMessages } from '../message-mark.ts'
import type { MovedMessage, MoveTarget, StoreRest } from '../moving.ts'
import type { KeptNotice } from '../notices.ts'
import { prepared, type Sqlite } from './database.ts'

/** Returns a text for each day with reported exceptions, which changes with them; see MoveReads. */
export function readToldDays(database: Sqlite, day: number | null): Map<number, string> {
  const marks = new DayMarks()
  const select = prepared(
    database,
    `SELECT day, shard || ' ' || subscription || ' ' || length(body) || ' ' || lower(hex(substr(body, -8))) AS mark
     FROM told WHERE @day IS NULL OR day = @day ORDER BY shard, day, subscription`,
  )
  for (const row of select.iterate({ day })) {
    const told = row as { day: number; mark: string }
    marks.add(told.day, told.mark)
  }
  return marks.all()
}

/** Returns all notices. */
export const readNotices = (database: Sqlite): KeptNotice[] =>
  prepared(
    database,
    `SELECT shard, day, device, subscription, revision, told_before AS before, body FROM notice
     ORDER BY shard, day, device, subscription`,
  ).all() as KeptNotice[]

/** Returns for each message a text that changes with it. */
export const readMessageMarks = (database: Sqlite): Map<string, string> =>
  markMessages(
    prepared(
      database,
      `SELECT id, ${MESSAGE_COLUMNS.join(', ')}, length(body) AS bytes, hex(substr(body, -8)) AS checksum FROM message`,
    ).all() as MarkRow[],
  )

/** Returns messages as they are stored. */
export const readMovedMessages = (database: Sqlite, ids: readonly string[]): MovedMessage[] =>
  prepared(
    database,
    `SELECT id, subscription, type, day, to_day AS toDay, version, created_at AS createdAt, body, hash,
       is_stale AS isStale, state, attempts, next_at AS nextAt, claimed_until AS claimedUntil, done_at AS doneAt, error
     FROM message WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(ids)) as MovedMessage[]

/** Replaces the reported exceptions of a day. Call it, like all functions here, within a transaction. */
export function putToldRows(database: Sqlite, shards: number, ...[day, rows]: ToldOfDay): void {
  prepared(database, 'DELETE FROM told WHERE day = ?').run(day)
  const insert = prepared(database, 'INSERT INTO told (shard, day, subscription, body) VALUES (?, ?, ?, ?)')
  for (const { shard, subscription, bits } of rows)
    insert.run(shard, day, subscription, encodeTold(bits, { shard, day, subscription }, shards))
}

/** A day (epoch day) and its reported exceptions. */
export type ToldOfDay = [day: number, rows: Parameters<MoveTarget['putTold']>[2]]

/** Adds or replaces messages. */
export function putMessageRows(database: Sqlite, messages: readonly MovedMessage[]): void {
  const put = prepared(
    database,
    `INSERT OR REPLACE INTO message (id, body, ${MESSAGE_COLUMNS.join(', ')})
     VALUES (@id, @body, @subscription, @type, @day, @toDay, @version, @createdAt, @isStale, @state, @attempts, @nextAt,
       @claimedUntil, @doneAt, @hash, @error)`,
  )
  for (const message of messages) put.run(message)
}

/** Replaces subscriptions, notices, and the state of comparisons. */
export function putNoticeRest(
  database: Sqlite,
  shards: number,
  { subscriptions, notices, noticed, noticeDays }: StoreRest,
): void {
  const sql = (text: string) => prepared(database, text)
  for (const table of ['subscription', 'notice', 'noticed', 'notice_due']) database.exec(`DELETE FROM ${table}`)
  const subscription = sql(
    `INSERT INTO subscription (id, body, created_at, changed_at, ended_why)
     VALUES (@id, @body, @createdAt, @changedAt, @endedWhy)`,
  )
  for (const one of subscriptions) subscription.run(one)
  const notice = sql(
    `INSERT INTO notice (shard, day, device, subscription, revision, told_before, body)
     VALUES (@shard, @day, @device, @subscription, @revision, @before, @body)`,
  )
  for (const one of notices) notice.run(one)
  const look = sql('INSERT INTO noticed (shard, revision, at) VALUES (?, ?, ?)')
  const due = sql('INSERT INTO notice_due (shard, day) VALUES (?, ?)')
  for (let shard = 0; shard < shards; shard++) {
    if (noticed !== null) look.run(shard, noticed.revision, noticed.at)
    for (const day of noticeDays) due.run(shard, day)
  }
}
