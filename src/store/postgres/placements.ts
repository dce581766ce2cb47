import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { Placement } from '../../event/placement.ts'
import { END_OF_TIME } from '../due.ts'
import type { TakenBack } from '../erase-store.ts'
import { withoutImport } from '../placement-sources.ts'
import { int, ints, type Session } from './session.ts'

export type PlacementRow = Omit<Placement, 'address'> & { shard: number; device: number; address: Buffer | null }
export type SourcedRow = PlacementRow & { sources: string | null; removedAt: number | null }

export const COLUMNS = 'shard, device, at, seq, lat, lon, zone, address'
export const KEY = 'shard = $1 AND device = $2 AND at = $3 AND seq = $4 AND lat = $5 AND lon = $6 AND zone = $7'

/** Returns the values of the columns of the key. */
export const keyOf = ({ shard, device, at, seq, lat, lon, zone }: Omit<PlacementRow, 'address'>) => [
  shard,
  device,
  at,
  seq,
  lat,
  lon,
  zone,
]
/** Returns the address of a row. */
export const decodeAddress = ({ address }: { address: Buffer | null }): string | null => address && decodeText(address)
/** Returns an address as it is stored. */
export const bytesOf = ({ address }: { address: string | null }): Buffer | null =>
  address === null ? null : encodeText(address)

/** Returns the ordered placements in force at some time by device: of these devices of a shard, or of all. */
export async function readPlacements(
  session: Session,
  { shard, devices }: { shard?: number; devices?: readonly number[] },
): Promise<[number, Placement][]> {
  const of = [
    'removed_at IS NULL',
    ...(shard === undefined ? [] : [`shard = ${int(shard)}`]),
    ...(devices === undefined ? [] : [`device IN ${ints(devices)}`]),
  ]
  const placed: [number, Placement][] = []
  await session.copyOut(`SELECT ${COLUMNS} FROM placement WHERE ${of.join(' AND ')}`, (row) => {
    const address = row.isNull(7) ? null : decodeText(row.view(7))
    const [at, seq, lat, lon] = [2, 3, 4, 5].map((field) => row.int(field))
    placed.push([row.int(1), { at, seq, lat, lon, zone: row.text(6), address }])
  })
  return placed
}

/** Writes the address and the imports of a stored placement. */
export async function updatePlacement(
  session: Session,
  key: readonly unknown[],
  merged: { address: string | null; sources: string | null },
): Promise<void> {
  await session.run(`UPDATE placement SET address = $8, sources = $9 WHERE ${KEY}`, [
    ...key,
    bytesOf(merged),
    merged.sources,
  ])
}

/** Makes the days of a device due from the start of a changed placement on. */
export async function duePlacement(
  session: Session,
  { shard, device }: { shard: number; device: number },
  at: number,
  cause: 'placement' | 'erased' = 'placement',
): Promise<void> {
  // The first placement also applies to the time before it. A later one may end the previous day at the instant it
  // starts, if a day of its zone begins there.
  await session.run(
    `INSERT INTO due_device (shard, device, from_at, to_at, cause)
     SELECT $1::int, $2::int, CASE WHEN EXISTS (
       SELECT 1 FROM placement WHERE shard = $1 AND device = $2 AND at < $3 AND removed_at IS NULL
     ) THEN $3::bigint - 1 ELSE 0 END, $4::bigint, $5::text`,
    [shard, device, at, END_OF_TIME, cause],
  )
}

/** Replaces all placements of a device; a removed one stays removed, even if its event is delivered again. */
export async function replacePlacements(
  session: Session,
  place: { shard: number; device: number },
  placements: readonly Placement[],
  now: number,
): Promise<void> {
  const key = (placement: Omit<Placement, 'address'>) => keyOf({ ...placement, ...place }).join(' ')
  const stored = await session.rows<PlacementRow>(
    `SELECT ${COLUMNS} FROM placement WHERE shard = $1 AND device = $2 AND removed_at IS NULL FOR UPDATE`,
    [place.shard, place.device],
  )
  const old = new Map(stored.map((row) => [key(row), row]))
  const changed: number[] = []
  for (const placement of placements) {
    await session.run(
      `INSERT INTO placement (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (shard, device, at, seq, lat, lon, zone)
       DO UPDATE SET address = excluded.address, removed_at = NULL, sources = NULL`,
      [...keyOf({ ...placement, ...place }), bytesOf(placement)],
    )
    if (!old.delete(key(placement))) changed.push(placement.at)
  }
  for (const row of old.values()) {
    await session.run(`UPDATE placement SET removed_at = $8 WHERE ${KEY}`, [...keyOf(row), now])
    changed.push(row.at)
  }
  if (changed.length > 0) await duePlacement(session, place, Math.min(...changed))
}

/** Counts the placements of a device that begin within a span (epoch ms, half-open), without removed ones. */
export async function countWithin(
  session: Session,
  { shard, device }: { shard: number; device: number },
  from: number,
  to: number,
): Promise<number> {
  const [{ count }] = await session.rows<{ count: number }>(
    `SELECT count(*) AS count FROM placement
     WHERE shard = $1 AND device = $2 AND at >= $3 AND at < $4 AND removed_at IS NULL`,
    [shard, device, from, to],
  )
  return count
}

/** Deletes the placements of a device that begin within a span, including removed ones. */
export async function eraseWithin(
  session: Session,
  place: { shard: number; device: number },
  from: number,
  to: number,
): Promise<void> {
  const span = [place.shard, place.device, from, to]
  const within = 'shard = $1 AND device = $2 AND at >= $3 AND at < $4'
  const [{ at }] = await session.rows<{ at: number | null }>(
    `SELECT min(at) AS at FROM placement WHERE ${within} AND removed_at IS NULL`,
    span,
  )
  await session.run(`DELETE FROM placement WHERE ${within}`, span)
  if (at !== null) await duePlacement(session, place, at, 'erased')
}

/** SQL that tells whether an import reported a placement: whether `sources` has its number as a key. */
const TOLD_BY = (parameter: string): string =>
  `sources IS NOT NULL AND (starts_with(sources, '{"' || ${parameter} || '":') OR strpos(sources, ',"' || ${parameter} || '":') > 0)`

/** Returns the placements that an import reported: of the first `devices` devices of a shard after `after`, by device. */
async function toldBy(
  session: Session,
  ofImport: number,
  shard: number,
  after: number,
  devices: number,
): Promise<SourcedRow[]> {
  return session.rows<SourcedRow>(
    `SELECT ${COLUMNS}, sources, removed_at AS "removedAt" FROM placement WHERE shard = $1 AND device IN (
       SELECT DISTINCT device FROM placement WHERE shard = $1 AND device > $2 AND ${TOLD_BY('$3::text')}
       ORDER BY device LIMIT $4
     ) AND ${TOLD_BY('$3::text')} ORDER BY device, at`,
    [shard, after, `${ofImport}`, devices],
  )
}

/**
 * Takes an import back from placements of the first `devices` devices of a shard after `after`; deletes those that only
 * it reported. Returns the number deleted that were in force, and the last device; null if there are no more.
 */
export async function takeBack(
  session: Session,
  ofImport: number,
  shard: number,
  after: number,
  devices: number,
): Promise<TakenBack | null> {
  const rows = await toldBy(session, ofImport, shard, after, devices)
  if (rows.length === 0) return null
  let erased = 0
  const changed = new Map<number, number>()
  for (const row of rows) {
    const key = keyOf(row)
    const kept = withoutImport({ address: decodeAddress(row), sources: row.sources }, ofImport)
    if (kept !== null) {
      await updatePlacement(session, key, kept)
      continue
    }
    await session.run(`DELETE FROM placement WHERE ${KEY}`, key)
    if (row.removedAt !== null) continue
    erased++
    changed.set(row.device, Math.min(row.at, changed.get(row.device) ?? Infinity))
  }
  for (const [device, at] of changed) await duePlacement(session, { shard, device }, at, 'erased')
  return { erased, devices: [...new Set(rows.map(({ device }) => device))], last: rows[rows.length - 1].device }
}

/** Counts the placements in force that only this import reported. */
export async function countToldBy(session: Session, ofImport: number, shards: number): Promise<number> {
  let count = 0
  for (let shard = 0; shard < shards; shard++) {
    const rows = await toldBy(session, ofImport, shard, -1, 2 ** 31 - 1)
    count += rows.filter(
      (row) => row.removedAt === null && withoutImport({ address: null, sources: row.sources }, ofImport) === null,
    ).length
  }
  return count
}
