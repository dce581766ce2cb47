import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { Reason } from '../../event/reasons.ts'
import type { RejectToLand } from '../landing.ts'
import type { Reject, RejectCounts, RejectFilter, Rejects } from '../rejects.ts'
import type { Postgres } from './database.ts'
import type { Session } from './session.ts'

/** Stores a limited number of rejected events; the oldest are dropped first. */
export class PostgresRejects implements Rejects {
  readonly #session: Session
  readonly #database: Postgres
  readonly #kept: number

  constructor(session: Session, database: Postgres, kept: number) {
    this.#session = session
    this.#database = database
    this.#kept = kept
  }

  /** Inserts rejected events, within the transaction of a landing; returns how many older ones were dropped. */
  async land(session: Session, rejects: readonly RejectToLand[], landedAt: number, ofImport: number): Promise<number> {
    const column = <Value>(of: (reject: RejectToLand) => Value): Value[] => rejects.map(of)
    await session.run(
      `INSERT INTO reject (rejected_at, reason, raw_bytes, raw, device_id, at, import)
       SELECT $1::bigint, reason, raw_bytes, raw, device_id, at, $2::int
       FROM unnest($3::text[], $4::int[], $5::bytea[], $6::bytea[], $7::bigint[])
         AS landed (reason, raw_bytes, raw, device_id, at)`,
      [
        landedAt,
        ofImport,
        column(({ reason }) => reason),
        column(({ rawBytes }) => rawBytes),
        column(({ raw }) => encodeText(raw)),
        column(({ deviceId }) => deviceId && encodeText(deviceId)),
        column(({ at }) => at),
      ],
    )
    // Rows that another landing is about to drop are left to it.
    return session.run(
      `DELETE FROM reject WHERE id IN (
         SELECT id FROM reject WHERE id <= (SELECT max(id) FROM reject) - $1 FOR UPDATE SKIP LOCKED)`,
      [this.#kept],
    )
  }

  async page({ limit, before = Number.MAX_SAFE_INTEGER, reason, ids }: RejectFilter): Promise<Reject[]> {
    const rows = await this.#session.rows<Omit<Reject, 'raw' | 'reason'> & { raw: Buffer; reason: Reason }>(
      `SELECT id, rejected_at AS "rejectedAt", reason, raw, raw_bytes AS "rawBytes" FROM reject
       WHERE id < $1 AND ($2::text IS NULL OR reason = $2) AND ($3::bigint[] IS NULL OR id = ANY($3))
       ORDER BY id DESC LIMIT $4`,
      [before, reason ?? null, ids ?? null, limit],
    )
    return rows.map(({ raw, ...row }) => ({ ...row, raw: decodeText(raw) }))
  }

  counts(): Promise<RejectCounts> {
    return this.#counts('SELECT reason, count(*) AS count FROM reject GROUP BY reason ORDER BY reason COLLATE "C"', [])
  }

  countsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts> {
    return this.#counts(
      `SELECT reason, count(*) AS count FROM reject
       WHERE device_id = $1 AND coalesce(at, rejected_at) >= $2 AND coalesce(at, rejected_at) < $3
       GROUP BY reason ORDER BY reason COLLATE "C"`,
      [encodeText(deviceId), fromAt, toAt],
    )
  }

  async #counts(text: string, values: readonly unknown[]): Promise<RejectCounts> {
    const rows = await this.#session.rows<{ reason: string; count: number }>(text, values)
    return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
  }

  async delete(ids: readonly number[]): Promise<void> {
    await this.#database.transaction((session) => session.run('DELETE FROM reject WHERE id = ANY($1::bigint[])', [ids]))
  }
}
