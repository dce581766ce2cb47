import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { ImportNote } from '../../event/import-note.ts'
import type { KnownImport } from '../erase-store.ts'
import type { Session } from './session.ts'

type ImportRow = Omit<KnownImport, 'files'> & { files: Buffer }

const IMPORT = 'number, id, started_at AS "startedAt", files'

const asImport = ({ files, ...row }: ImportRow): KnownImport => ({ ...row, files: decodeText(files) })

/** Returns the number of an import, and assigns one to a new import; 0 for no import. */
export async function numberOfImport(session: Session, note: ImportNote | null): Promise<number> {
  if (note === null) return 0
  const select = 'SELECT number FROM import WHERE id = $1'
  const [known] = await session.rows<{ number: number }>(select, [note.id])
  if (known !== undefined) return known.number
  await session.run('INSERT INTO import (id, started_at, files) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING', [
    note.id,
    note.startedAt,
    encodeText(note.files),
  ])
  return (await session.rows<{ number: number }>(select, [note.id]))[0].number
}

/** Returns the import with this id; null if there is none. */
export async function importOf(session: Session, id: string): Promise<KnownImport | null> {
  const [row] = await session.rows<ImportRow>(`SELECT ${IMPORT} FROM import WHERE id = $1`, [id])
  return row === undefined ? null : asImport(row)
}

/** Returns the latest imports, newest first. */
export async function latestImports(session: Session, limit: number): Promise<KnownImport[]> {
  const rows = await session.rows<ImportRow>(`SELECT ${IMPORT} FROM import ORDER BY number DESC LIMIT $1`, [limit])
  return rows.map(asImport)
}

/**
 * Notes that events of an import land on UTC days of shards, within their transaction. Updates a part that is there
 * already, so that an erasure that wants to delete it waits for this landing.
 */
export async function noteParts(
  session: Session,
  ofImport: number,
  parts: readonly { shard: number; utcDay: number }[],
): Promise<void> {
  const byKey = new Map(parts.map((part) => [`${part.shard} ${part.utcDay}`, part]))
  const ordered = [...byKey.values()].sort((one, other) => one.shard - other.shard || one.utcDay - other.utcDay)
  await session.run(
    `INSERT INTO import_part (import, shard, utc_day)
     SELECT $1::int, shard, utc_day FROM unnest($2::int[], $3::int[]) AS part (shard, utc_day)
     ON CONFLICT (import, shard, utc_day) DO UPDATE SET import = excluded.import`,
    [ofImport, ordered.map(({ shard }) => shard), ordered.map(({ utcDay }) => utcDay)],
  )
}

/** Deletes a part of an import, unless more of its events have landed there since it was erased. */
export async function forgetPart(session: Session, ofImport: number, shard: number, utcDay: number): Promise<void> {
  const part = [ofImport, shard, utcDay]
  // Waits for landings of the import that are not committed yet; the next statement sees what they committed.
  await session.rows('SELECT 1 FROM import_part WHERE import = $1 AND shard = $2 AND utc_day = $3 FOR UPDATE', part)
  await session.run(
    `DELETE FROM import_part WHERE import = $1 AND shard = $2 AND utc_day = $3 AND NOT EXISTS (
       SELECT 1 FROM segment WHERE shard = $2 AND utc_day = $3 AND import = $1)`,
    part,
  )
}
