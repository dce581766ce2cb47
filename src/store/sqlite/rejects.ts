import { encodeText } from '../../base/text-bytes.ts'
import type { RejectToLand } from '../landing.ts'
import type { Reject, RejectCounts, RejectFilter, Rejects } from '../rejects.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'

const COLUMNS = 'id, rejected_at AS rejectedAt, reason, raw, raw_bytes AS rawBytes'

/** Stores a limited number of rejected events; the oldest are dropped first. */
export class SqliteRejects implements Rejects {
  readonly #database: Sqlite
  readonly #kept: number

  constructor(database: Sqlite, kept: number) {
    this.#database = database
    this.#kept = kept
  }

  /** Inserts rejected events, within the transaction of a landing; returns how many older ones were dropped. */
  land(rejects: readonly RejectToLand[], landedAt: number, ofImport: number): number {
    const insert = this.#sql(
      'INSERT INTO reject (rejected_at, reason, raw_bytes, raw, device_id, at, import) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    for (const { reason, raw, rawBytes, deviceId, at } of rejects)
      insert.run(landedAt, reason, rawBytes, raw, deviceId === null ? null : encodeText(deviceId), at, ofImport)
    // Ids only grow. A replayed event leaves a gap, so one fewer is kept until the gap is older than all kept ids.
    return this.#sql('DELETE FROM reject WHERE id <= (SELECT max(id) FROM reject) - ?').run(this.#kept).changes
  }

  async page({ limit, before = Number.MAX_SAFE_INTEGER, reason, ids }: RejectFilter): Promise<Reject[]> {
    const ofReason = reason === undefined ? '' : 'AND reason = ?'
    const ofIds = ids === undefined ? '' : 'AND id IN (SELECT value FROM json_each(?))'
    const values = [reason, ids === undefined ? undefined : JSON.stringify(ids)].filter((value) => value !== undefined)
    return this.#sql(`SELECT ${COLUMNS} FROM reject WHERE id < ? ${ofReason} ${ofIds} ORDER BY id DESC LIMIT ?`).all(
      before,
      ...values,
      limit,
    ) as Reject[]
  }

  async counts(): Promise<RejectCounts> {
    return countsIn(this.#sql('SELECT reason, count(*) AS count FROM reject GROUP BY reason ORDER BY reason').all())
  }

  async countsOf(deviceId: string, fromAt: number, toAt: number): Promise<RejectCounts> {
    const rows = this.#sql(
      `SELECT reason, count(*) AS count FROM reject
       WHERE device_id = ? AND coalesce(at, rejected_at) >= ? AND coalesce(at, rejected_at) < ?
       GROUP BY reason ORDER BY reason`,
    ).all(encodeText(deviceId), fromAt, toAt)
    return countsIn(rows)
  }

  async delete(ids: readonly number[]): Promise<void> {
    writeTransaction(this.#database, () => {
      this.#sql('DELETE FROM reject WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids))
    })
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

const countsIn = (rows: readonly unknown[]): RejectCounts =>
  Object.fromEntries((rows as { reason: string; count: number }[]).map(({ reason, count }) => [reason, count]))
