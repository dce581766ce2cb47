import { type KeptRevision, parseStatistics, type Revision, statisticsText } from '../revision.ts'
import type { Session } from './session.ts'

/** Stored instead of erased figures. */
const ERASED = ''

/** Returns the revisions of a settled device-day, earliest first. */
export async function readRevisions(
  session: Session,
  shard: number,
  device: number,
  day: number,
): Promise<KeptRevision[]> {
  const rows = await session.rows<{ number: number; revisedAt: number; causes: string; old: string | null }>(
    `SELECT number, revised_at AS "revisedAt", causes, old FROM revision
     WHERE shard = $1 AND device = $2 AND day = $3 ORDER BY number`,
    [shard, device, day],
  )
  return rows.map(({ causes, old, ...row }) => ({
    ...row,
    device,
    day,
    causes: JSON.parse(causes),
    old: old === null || old === ERASED ? null : parseStatistics(old),
    isErased: old === ERASED,
  }))
}

/** Returns the local days of a range (both ends included) on which devices have revisions, ascending, by device. */
export async function readRevisedDays(
  session: Session,
  shards: number,
  devices: readonly number[],
  [fromDay, toDay]: readonly [number, number],
): Promise<Map<number, number[]>> {
  const rows = await session.rows<{ device: number; day: number }>(
    `SELECT DISTINCT revision.device, revision.day FROM revision
     JOIN unnest($1::int[], $2::int[]) AS asked (shard, device)
       ON revision.shard = asked.shard AND revision.device = asked.device
     WHERE revision.day BETWEEN $3 AND $4 ORDER BY revision.device, revision.day`,
    [devices.map((device) => device % shards), devices, fromDay, toDay],
  )
  const byDevice = new Map<number, number[]>()
  for (const { device, day } of rows) byDevice.set(device, [...(byDevice.get(device) ?? []), day])
  return byDevice
}

/** Writes revisions of different device-days of a shard, which the caller has locked. */
export async function writeRevisions(
  session: Session,
  shard: number,
  revisions: readonly Revision[],
  now: number,
): Promise<void> {
  if (revisions.length === 0) return
  await session.run(
    `INSERT INTO revision (shard, device, day, number, revised_at, causes, old)
     SELECT $1::int, changed.device, changed.day, (
       SELECT coalesce(max(number), 0) + 1 FROM revision AS earlier
       WHERE earlier.shard = $1 AND earlier.device = changed.device AND earlier.day = changed.day
     ), $2::bigint, changed.causes, changed.old
     FROM unnest($3::int[], $4::int[], $5::text[], $6::text[]) AS changed (device, day, causes, old)`,
    [
      shard,
      now,
      revisions.map(({ device }) => device),
      revisions.map(({ day }) => day),
      revisions.map(({ causes }) => JSON.stringify(causes)),
      revisions.map(({ causes, old }) =>
        causes.includes('erased') ? ERASED : old === null ? null : statisticsText(old),
      ),
    ],
  )
}

/** Erases the figures in the revisions of device-days of a shard; spans of local days include both ends. */
export async function eraseFigures(
  session: Session,
  shard: number,
  spans: readonly { device: number; from: number; to: number }[],
): Promise<void> {
  if (spans.length === 0) return
  await session.run(
    `UPDATE revision SET old = $2 FROM unnest($3::int[], $4::int[], $5::int[]) AS span (device, first, last)
     WHERE revision.shard = $1 AND revision.device = span.device AND day BETWEEN first AND last AND old IS NOT NULL`,
    [shard, ERASED, spans.map(({ device }) => device), spans.map(({ from }) => from), spans.map(({ to }) => to)],
  )
}
