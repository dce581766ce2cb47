import type { Placement } from '../../event/placement.ts'
import { mergePlacement } from '../placement-sources.ts'
import { bytesOf, COLUMNS, decodeAddress, KEY, keyOf, type PlacementRow, updatePlacement } from './placements.ts'
import type { Session } from './session.ts'

type PlacementToAdd = Placement & { shard: number; device: number }

/**
 * Adds placements that events reported, and notes the import of the events (0 for none). If repeats of an event have
 * different addresses, the greatest is kept, regardless of their order. Returns which placements are new, and which
 * changed the address of another one. Two transactions that add the same ones must give them in the same order.
 */
export async function addPlacements(
  session: Session,
  placements: readonly PlacementToAdd[],
  ofImport: number,
): Promise<{ isNew: boolean; isReaddressed: boolean }[]> {
  if (placements.length === 0) return []
  const inserted = await insertPlacements(session, placements, ofImport)
  const added: { isNew: boolean; isReaddressed: boolean }[] = []
  for (const placement of placements) {
    const isNew = inserted.delete(keyOf(placement).join(' '))
    added.push({ isNew, isReaddressed: !isNew && (await mergeInto(session, placement, ofImport)) })
  }
  return added
}

/** Inserts those that are not there yet, each once; returns their keys. */
async function insertPlacements(
  session: Session,
  placements: readonly PlacementToAdd[],
  ofImport: number,
): Promise<Set<string>> {
  const toldOf = ({ address }: Placement) => mergePlacement(undefined, { address, ofImport })
  const keys = placements.map(keyOf)
  const rows = await session.rows<Omit<PlacementRow, 'address'>>(
    `INSERT INTO placement (${COLUMNS}, sources) SELECT ${COLUMNS}, sources
     FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::int[], $6::int[], $7::text[], $8::bytea[], $9::text[])
       AS reported (${COLUMNS}, sources)
     ON CONFLICT DO NOTHING RETURNING shard, device, at, seq, lat, lon, zone`,
    [
      ...[0, 1, 2, 3, 4, 5, 6].map((part) => keys.map((key) => key[part])),
      placements.map((placement) => bytesOf(toldOf(placement))),
      placements.map((placement) => toldOf(placement).sources),
    ],
  )
  return new Set(rows.map((row) => keyOf(row).join(' ')))
}

/** Merges a placement into the stored one with its key; returns whether that changes the address. */
async function mergeInto(session: Session, placement: PlacementToAdd, ofImport: number): Promise<boolean> {
  const key = keyOf(placement)
  const [row] = await session.rows<{ address: Buffer | null; sources: string | null }>(
    `SELECT address, sources FROM placement WHERE ${KEY} FOR UPDATE`,
    key,
  )
  const before = { address: decodeAddress(row), sources: row.sources }
  const merged = mergePlacement(before, { address: placement.address, ofImport })
  if (merged.sources !== before.sources || merged.isReaddressed) await updatePlacement(session, key, merged)
  return merged.isReaddressed
}
