import { encodeTold } from '../codec/told-codec.ts'
import { DayMarks } from '../day-marks.ts'
import { type MarkRow, MESSAGE_COLUMNS, markMessages } from '../message-mark.ts'
import type { MovedMessage, MoveTarget, StoreRest } from '../moving.ts'
import type { KeptNotice } from '../notices.ts'
import type { Session } from './session.ts'
import { upsert } from './upsert.ts'

/** Returns a text for each day with reported exceptions, which changes with them; see MoveReads. */
export async function readToldDays(session: Session, day: number | null): Promise<Map<number, string>> {
  const marks = new DayMarks()
  const rows = await session.rows<{ day: number; mark: string }>(
    `SELECT day, shard || ' ' || subscription || ' ' || length(body) || ' '
       || encode(substr(body, length(body) - 7), 'hex') AS mark
     FROM told WHERE shard >= 0 AND ($1::int IS NULL OR day = $1) ORDER BY shard, day, subscription COLLATE "C"`,
    [day],
  )
  for (const told of rows) marks.add(told.day, told.mark)
  return marks.all()
}

/** Returns all notices. */
export const readNotices = (session: Session): Promise<KeptNotice[]> =>
  session.rows(
    `SELECT shard, day, device, subscription, revision, told_before AS before, body FROM notice
     WHERE shard >= 0 ORDER BY shard, day, device, subscription`,
  )

/** Returns for each message a text that changes with it. */
export const readMessageMarks = async (session: Session): Promise<Map<string, string>> =>
  markMessages(
    await session.rows<MarkRow>(
      `SELECT id, ${MESSAGE_COLUMNS.join(', ')}, length(body) AS bytes,
         encode(substr(body, length(body) - 7), 'hex') AS checksum FROM message`,
    ),
  )

/** Returns messages as they are stored. */
export const readMovedMessages = (session: Session, ids: readonly string[]): Promise<MovedMessage[]> =>
  session.rows(
    `SELECT id, subscription, type, day, to_day AS "toDay", version, created_at AS "createdAt", body, hash,
       is_stale AS "isStale", state, attempts, next_at AS "nextAt", claimed_until AS "claimedUntil",
       done_at AS "doneAt", error FROM message WHERE id = ANY($1::text[])`,
    [ids],
  )

/** Replaces the reported exceptions of a day. Call it, like all functions here, within a transaction. */
export async function putToldRows(session: Session, shards: number, ...[day, rows]: ToldOfDay): Promise<void> {
  await session.run('DELETE FROM told WHERE shard >= 0 AND day = $1', [day])
  await upsert(
    session,
    'told',
    { key: ['shard', 'day', 'subscription'], others: ['body'] },
    rows.map(({ shard, subscription, bits }) => {
      return [shard, day, subscription, encodeTold(bits, { shard, day, subscription }, shards)]
    }),
  )
}

/** A day (epoch day) and its reported exceptions. */
export type ToldOfDay = [day: number, rows: Parameters<MoveTarget['putTold']>[2]]

/** Adds or replaces messages. */
export const putMessageRows = (session: Session, messages: readonly MovedMessage[]): Promise<void> =>
  upsert(
    session,
    'message',
    { key: ['id'], others: ['body', ...MESSAGE_COLUMNS] },
    messages.map((one) => [
      ...[one.id, one.body, one.subscription, one.type, one.day, one.toDay, one.version, one.createdAt, one.isStale],
      ...[one.state, one.attempts, one.nextAt, one.claimedUntil, one.doneAt, one.hash, one.error],
    ]),
  )

/** Replaces subscriptions, notices, and the state of comparisons. */
export async function putNoticeRest(
  session: Session,
  shards: number,
  { subscriptions, notices, noticed, noticeDays }: StoreRest,
): Promise<void> {
  await session.run('DELETE FROM subscription')
  for (const table of ['notice', 'noticed', 'notice_due']) await session.run(`DELETE FROM ${table} WHERE shard >= 0`)
  await upsert(
    session,
    'subscription',
    { key: ['id'], others: ['body', 'created_at', 'changed_at', 'ended_why'] },
    subscriptions.map(({ id, body, createdAt, changedAt, endedWhy }) => [id, body, createdAt, changedAt, endedWhy]),
  )
  await upsert(
    session,
    'notice',
    { key: ['shard', 'day', 'device', 'subscription'], others: ['revision', 'told_before', 'body'] },
    notices.map((one) => [one.shard, one.day, one.device, one.subscription, one.revision, one.before, one.body]),
  )
  const all = Array.from({ length: shards }, (_, shard) => shard)
  if (noticed !== null)
    await upsert(
      session,
      'noticed',
      { key: ['shard'], others: ['revision', 'at'] },
      all.map((shard) => [shard, noticed.revision, noticed.at]),
    )
  await session.run(
    `INSERT INTO notice_due (shard, day) SELECT shard, day FROM unnest($1::int[]) AS every (shard)
     CROSS JOIN unnest($2::int[]) AS due (day)`,
    [all, noticeDays],
  )
}
