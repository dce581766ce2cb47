import { encodeTold } from '../codec/told-codec.ts'
import type { NoticeCommit } from '../notices.ts'
import { noteChanged } from './messages.ts'
import type { Session } from './session.ts'
import { upsert } from './upsert.ts'

/**
 * Writes the result of comparing a shard, without subscriptions that were removed meanwhile.
 * Call it within a transaction.
 */
export async function writeLook(session: Session, shards: number, commit: NoticeCommit): Promise<void> {
  const { shard, revision, days, gone } = commit
  const subscriptions = await session.rows<{ id: string }>('SELECT id FROM subscription ORDER BY id FOR SHARE')
  const known = new Set(subscriptions.map(({ id }) => id))
  const told = commit.told.filter(({ subscription }) => known.has(subscription))
  const notices = commit.notices.filter(({ subscription }) => known.has(subscription))
  await session.run('DELETE FROM notice_due WHERE shard = $1 AND day = ANY($2::int[])', [shard, days])
  for (const day of days) await noteChanged(session, day)
  for (const { day, subscription } of told.filter(({ bits }) => bits.size === 0))
    await session.run('DELETE FROM told WHERE shard = $1 AND day = $2 AND subscription = $3', [
      shard,
      day,
      subscription,
    ])
  await upsert(
    session,
    'told',
    { key: ['shard', 'day', 'subscription'], others: ['body'] },
    told
      .filter(({ bits }) => bits.size > 0)
      .map(({ day, subscription, bits }) => [
        shard,
        day,
        subscription,
        encodeTold(bits, { shard, day, subscription }, shards),
      ]),
  )
  if (gone.length > 0) {
    await session.run(
      `DELETE FROM notice USING unnest($2::int[], $3::int[], $4::text[]) AS one (day, device, subscription)
       WHERE notice.shard = $1 AND notice.day = one.day AND notice.device = one.device
         AND notice.subscription = one.subscription`,
      [
        shard,
        gone.map(({ day }) => day),
        gone.map(({ device }) => device),
        gone.map(({ subscription }) => subscription),
      ],
    )
  }
  await upsert(
    session,
    'notice',
    { key: ['shard', 'day', 'device', 'subscription'], others: ['revision', 'told_before', 'body'] },
    notices.map(({ day, device, subscription, before, body }) => [
      ...[shard, day, device, subscription],
      ...[revision + 1, before, body],
    ]),
  )
}

/** Marks days of a shard as changed; see markForNotices of SQLite. */
export async function markForNotices(session: Session, shard: number, days: Iterable<number>): Promise<void> {
  await session.run(
    `INSERT INTO notice_due (shard, day) SELECT $1::int, day FROM unnest($2::int[]) AS changed (day)
     WHERE EXISTS (SELECT 1 FROM subscription WHERE ended_why IS NULL) ON CONFLICT DO NOTHING`,
    [shard, [...new Set(days)]],
  )
}
