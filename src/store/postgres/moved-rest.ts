import { groupBy } from '../../base/group-by.ts'
import { encodeText } from '../../base/text-bytes.ts'
import type { StoreRest } from '../moving.ts'
import { putCounters } from './counters.ts'
import { writeDue } from './due.ts'
import { noteParts } from './imports.ts'
import { putNoticeRest } from './moved-notices.ts'
import { putRules } from './rules.ts'
import type { Session } from './session.ts'

/** Replaces everything that is small. Call it within a transaction. */
export async function putRestRows(session: Session, shards: number, rest: StoreRest): Promise<void> {
  await putImports(session, rest)
  await forgetParts(session)
  for (const [ofImport, parts] of groupBy(rest.purgedParts, (part) => part.import)) {
    await noteParts(session, ofImport, parts)
  }
  await session.run('DELETE FROM due_device WHERE shard >= 0')
  for (let shard = 0; shard < shards; shard++) {
    await writeDue(
      session,
      shard,
      rest.due.filter(({ device }) => device % shards === shard),
    )
  }
  await session.run(
    `UPDATE shard SET version = version + 1, rolled_up_at = given.at
     FROM unnest($1::int[], $2::bigint[]) AS given (shard, at) WHERE shard.shard = given.shard`,
    [[...rest.rolledUpAt.keys()], rest.rolledUpAt],
  )
  if (rest.lastRejectId > 0) await session.rows("SELECT setval('reject_id_seq', $1)", [rest.lastRejectId])
  await session.run('UPDATE guard SET purged_before = $1 WHERE id = 1', [rest.purgedBefore])
  await putCounters(session, rest.counters)
  await putRules(session, rest)
  await putNoticeRest(session, shards, rest)
}

async function putImports(session: Session, { imports }: StoreRest): Promise<void> {
  await session.run('DELETE FROM import')
  await session.run(
    `INSERT INTO import (number, id, started_at, files) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bytea[])`,
    [
      imports.map(({ number }) => number),
      imports.map(({ id }) => id),
      imports.map(({ startedAt }) => startedAt),
      imports.map(({ files }) => encodeText(files)),
    ],
  )
  await session.rows(
    "SELECT setval(pg_get_serial_sequence('import', 'number'), max(number)) FROM import HAVING max(number) > 0",
  )
}

/** Deletes parts of imports of which nothing can be left: what was copied of them has been erased or compacted since. */
async function forgetParts(session: Session): Promise<void> {
  const ofDay = (table: string): string =>
    `SELECT 1 FROM ${table} AS held WHERE held.shard = import_part.shard AND held.utc_day = import_part.utc_day`
  await session.run(
    `DELETE FROM import_part WHERE NOT EXISTS (${ofDay('compacted')})
     AND NOT EXISTS (${ofDay('segment')} AND held.import = import_part.import)`,
  )
}
