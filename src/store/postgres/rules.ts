import { END_OF_TIME } from '../due.ts'
import type { StoreRest } from '../moving.ts'
import type { Cause } from '../revision.ts'
import type { RulesChange } from '../rollup-store.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { Postgres } from './database.ts'
import type { Session } from './session.ts'

/** Prefix of the names of the settings that hold the clocks of zones. */
const ZONE_CLOCK = 'zone clock '

const SET_CLOCKS = `INSERT INTO setting (name, value)
  SELECT $1 || zone, clock FROM unnest($2::text[], $3::bigint[]) AS seen (zone, clock) ORDER BY zone ON CONFLICT (name)`

/** Reads the rules by which rollups are made; null before they are set. */
export async function readRules(session: Session): Promise<string | null> {
  const [row] = await session.rows<{ text: string }>('SELECT text FROM rules WHERE id = 1')
  return row?.text ?? null
}

/** Sets the rules and makes devices due by them; returns false if the old ones are not those that the caller saw. */
export function adoptRules(
  database: Postgres,
  shards: number,
  { before, text, now, clocks, zones }: RulesChange,
): Promise<boolean> {
  return allOrNothing(database, async (session) => {
    const changed =
      before === null
        ? await session.run('INSERT INTO rules (id, text, since_at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING', [
            text,
            now,
          ])
        : await session.run('UPDATE rules SET text = $1, since_at = $2 WHERE id = 1 AND text = $3', [text, now, before])
    if (changed !== 1) return false
    await session.run(`${SET_CLOCKS} DO UPDATE SET value = excluded.value`, [
      ZONE_CLOCK,
      [...clocks.keys()],
      [...clocks.values()],
    ])
    if (before !== null) await makeDue(session, shards, zones)
    return true
  })
}

async function makeDue(session: Session, shards: number, zones: readonly string[] | null): Promise<void> {
  const cause: Cause = 'rules-version'
  const placed = `SELECT 1 FROM placement WHERE placement.shard = device.shard
    AND placement.device = device.local * $1 + device.shard AND removed_at IS NULL`
  await session.run(
    `INSERT INTO due_device (shard, device, from_at, to_at, cause)
     SELECT shard, local * $1::int + shard, 0, $2::bigint, $3::text FROM device WHERE erased_at IS NULL AND (
       $4::text[] IS NULL OR EXISTS (${placed} AND zone = ANY($4)) OR ('' = ANY($4) AND NOT EXISTS (${placed})))
     ORDER BY shard, local`,
    [shards, END_OF_TIME, cause, zones],
  )
}

/** Reads the clocks of zones by which the rollups were made, as fingerprints. */
export async function readZoneClocks(session: Session): Promise<Map<string, number>> {
  const rows = await session.rows<{ name: string; value: number }>(
    'SELECT name, value FROM setting WHERE starts_with(name, $1)',
    [ZONE_CLOCK],
  )
  return new Map(rows.map(({ name, value }) => [name.slice(ZONE_CLOCK.length), value]))
}

/** Adds clocks of zones that have none yet; does nothing if the store's rules are not `rules`. */
export async function noteZoneClocks(
  database: Postgres,
  rules: string,
  clocks: ReadonlyMap<string, number>,
): Promise<void> {
  await database.transaction(async (session) => {
    const [row] = await session.rows<{ text: string }>('SELECT text FROM rules WHERE id = 1 FOR SHARE')
    if (row?.text !== rules) return
    await session.run(`${SET_CLOCKS} DO NOTHING`, [ZONE_CLOCK, [...clocks.keys()], [...clocks.values()]])
  })
}

/** Replaces the rules and the clocks of zones. Call it within a transaction. */
export async function putRules(session: Session, { rules, zoneClocks, now }: StoreRest): Promise<void> {
  await session.run('DELETE FROM rules')
  await session.run('DELETE FROM setting WHERE starts_with(name, $1)', [ZONE_CLOCK])
  if (rules !== null) await session.run('INSERT INTO rules (id, text, since_at) VALUES (1, $1, $2)', [rules, now])
  await session.run(`${SET_CLOCKS} DO NOTHING`, [ZONE_CLOCK, [...zoneClocks.keys()], [...zoneClocks.values()]])
}
