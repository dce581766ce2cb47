import { decodeTold, encodeTold } from '../codec/told-codec.ts'
import { isDamage } from '../damaged-events.ts'
import { prepared, type Sqlite } from './connection.ts'

interface NoticeRow {
  day: number
  device: number
  subscription: string
  before: number
}

/**
 * Removes the notices of devices of a shard, which hold figures and addresses. The next comparison computes them
 * again. Call it, like all functions here, within a transaction.
 */
export function withdrawNotices(database: Sqlite, shards: number, shard: number, devices: readonly number[]): void {
  const rows = deleteNotices(database, shard, devices)
  const due = prepared(database, 'INSERT INTO notice_due (shard, day) VALUES (?, ?) ON CONFLICT DO NOTHING')
  for (const { day, device, subscription, before } of rows) {
    due.run(shard, day)
    changeTold(database, shards, { shard, day, subscription }, (bits) => bits.set(device, before))
  }
  if (rows.length > 0) refuseLooks(database, shard)
}

/** Removes the reported exceptions and notices of devices of a shard. */
export function eraseTold(database: Sqlite, shards: number, shard: number, devices: readonly number[]): void {
  deleteNotices(database, shard, devices)
  const all = prepared(database, 'SELECT day, subscription FROM told WHERE shard = ?').all(shard)
  for (const { day, subscription } of all as { day: number; subscription: string }[]) {
    changeTold(database, shards, { shard, day, subscription }, (bits) => {
      for (const device of devices) bits.delete(device)
    })
  }
  refuseLooks(database, shard)
}

function deleteNotices(database: Sqlite, shard: number, devices: readonly number[]): NoticeRow[] {
  const rows = prepared(
    database,
    `DELETE FROM notice WHERE shard = ? AND device IN (SELECT value FROM json_each(?))
     RETURNING day, device, subscription, told_before AS before`,
  ).all(shard, JSON.stringify(devices))
  return rows as NoticeRow[]
}

/** Changes the reported exceptions of a day. Unreadable ones are removed, so that the day is reported again. */
function changeTold(
  database: Sqlite,
  shards: number,
  place: { shard: number; day: number; subscription: string },
  change: (bits: Map<number, number>) => void,
): void {
  const key = [place.shard, place.day, place.subscription]
  const where = 'WHERE shard = ? AND day = ? AND subscription = ?'
  const row = prepared(database, `SELECT body FROM told ${where}`).get(...key) as { body: Buffer } | undefined
  if (row === undefined) return
  const bits = readable(() => decodeTold(row.body, place, shards))
  change(bits)
  for (const [device, told] of bits) if (told === 0) bits.delete(device)
  if (bits.size === 0) prepared(database, `DELETE FROM told ${where}`).run(...key)
  else prepared(database, `UPDATE told SET body = ? ${where}`).run(encodeTold(bits, place, shards), ...key)
}

function readable(read: () => Map<number, number>): Map<number, number> {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    return new Map()
  }
}

/** Makes a comparison that has already read the shard fail when it commits. */
function refuseLooks(database: Sqlite, shard: number): void {
  prepared(
    database,
    'INSERT INTO noticed (shard, revision, at) VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET revision = revision + 1',
  ).run(shard)
}
