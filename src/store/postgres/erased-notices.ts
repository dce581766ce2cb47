import { decodeTold, encodeTold } from '../codec/told-codec.ts'
import { isDamage } from '../damaged-events.ts'
import type { Session } from './session.ts'

interface NoticeRow {
  day: number
  device: number
  subscription: string
  before: number
}

/** Removes the notices of devices of a shard; see withdrawNotices of SQLite. Call it within a transaction, as all here. */
export async function withdrawNotices(
  session: Session,
  shards: number,
  shard: number,
  devices: readonly number[],
): Promise<void> {
  if (devices.length === 0) return
  await refuseLooks(session, shard)
  const rows = await deleteNotices(session, shard, devices)
  await session.run(
    'INSERT INTO notice_due (shard, day) SELECT DISTINCT $1::int, day FROM unnest($2::int[]) AS changed (day) ON CONFLICT DO NOTHING',
    [shard, rows.map(({ day }) => day)],
  )
  for (const { day, device, subscription, before } of rows)
    await changeTold(session, shards, { shard, day, subscription }, (bits) => bits.set(device, before))
}

/** Removes the reported exceptions and notices of devices of a shard. */
export async function eraseTold(
  session: Session,
  shards: number,
  shard: number,
  devices: readonly number[],
): Promise<void> {
  await refuseLooks(session, shard)
  await deleteNotices(session, shard, devices)
  const all = await session.rows<{ day: number; subscription: string }>(
    'SELECT day, subscription FROM told WHERE shard = $1',
    [shard],
  )
  for (const { day, subscription } of all) {
    await changeTold(session, shards, { shard, day, subscription }, (bits) => {
      for (const device of devices) bits.delete(device)
    })
  }
}

const deleteNotices = (session: Session, shard: number, devices: readonly number[]): Promise<NoticeRow[]> =>
  session.rows(
    `DELETE FROM notice WHERE shard = $1 AND device = ANY($2::int[])
     RETURNING day, device, subscription, told_before AS before`,
    [shard, devices],
  )

/** Changes the reported exceptions of a day. Unreadable ones are removed, so that the day is reported again. */
async function changeTold(
  session: Session,
  shards: number,
  place: { shard: number; day: number; subscription: string },
  change: (bits: Map<number, number>) => void,
): Promise<void> {
  const key = [place.shard, place.day, place.subscription]
  const where = 'WHERE shard = $1 AND day = $2 AND subscription = $3'
  const [row] = await session.rows<{ body: Buffer }>(`SELECT body FROM told ${where}`, key)
  if (row === undefined) return
  const bits = readable(() => decodeTold(row.body, place, shards))
  change(bits)
  for (const [device, told] of bits) if (told === 0) bits.delete(device)
  if (bits.size === 0) await session.run(`DELETE FROM told ${where}`, key)
  else await session.run(`UPDATE told SET body = $4 ${where}`, [...key, encodeTold(bits, place, shards)])
}

function readable(read: () => Map<number, number>): Map<number, number> {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    return new Map()
  }
}

/** Makes a comparison that has already read the shard fail when it commits. Comparisons wait for this transaction. */
async function refuseLooks(session: Session, shard: number): Promise<void> {
  await session.rows('SELECT 1 FROM shard WHERE shard = $1 FOR UPDATE', [shard])
  await session.run(
    `INSERT INTO noticed (shard, revision, at) VALUES ($1, 1, 0)
     ON CONFLICT (shard) DO UPDATE SET revision = noticed.revision + 1`,
    [shard],
  )
}
