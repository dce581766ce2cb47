import { utcDayOf } from '../../base/time.ts'
import type { Due, DueCounts, DueDevice, DueSegment } from '../due.ts'
import type { FurtherDue } from '../rollup-store.ts'
import type { Session } from './session.ts'

export class PostgresDue implements Due {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  segments(shard: number): Promise<DueSegment[]> {
    return this.#session.rows<DueSegment>(
      'SELECT segment AS id, utc_day AS "utcDay" FROM due_segment WHERE shard = $1 ORDER BY utc_day, first_at',
      [shard],
    )
  }

  async devices(shard: number): Promise<DueDevice[]> {
    const rows = await this.#session.rows<Omit<DueDevice, 'causes'> & { cause: string }>(
      `SELECT id, device, from_at AS "fromAt", to_at AS "toAt", cause FROM due_device WHERE shard = $1
       ORDER BY device, from_at`,
      [shard],
    )
    return rows.map(({ cause, ...due }) => ({ ...due, causes: cause === '' ? [] : cause.split(' ') }))
  }

  async shards(): Promise<number[]> {
    const rows = await this.#session.rows<{ shard: number }>(
      `SELECT shard FROM shard WHERE EXISTS (SELECT 1 FROM due_segment WHERE due_segment.shard = shard.shard)
       OR EXISTS (SELECT 1 FROM due_device WHERE due_device.shard = shard.shard) ORDER BY shard`,
    )
    return rows.map(({ shard }) => shard)
  }

  async counts(now: number): Promise<DueCounts> {
    const [counts] = await this.#session.rows<DueCounts>(
      `SELECT count(*) AS "dueSegments", (SELECT count(*) FROM due_device WHERE shard >= 0) AS "dueDevices",
         count(DISTINCT utc_day) FILTER (WHERE utc_day < $1) AS "lateDays", min(first_at) AS "oldestDueAt"
       FROM due_segment WHERE shard >= 0`,
      [utcDayOf(now)],
    )
    return counts
  }
}

/** Writes due entries of devices of a shard. */
export async function writeDue(session: Session, shard: number, due: readonly FurtherDue[]): Promise<void> {
  if (due.length === 0) return
  await session.run(
    `INSERT INTO due_device (shard, device, from_at, to_at, cause)
     SELECT $1::int, device, from_at, to_at, cause
     FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::text[]) AS due (device, from_at, to_at, cause)`,
    [
      shard,
      due.map(({ device }) => device),
      due.map(({ fromAt }) => fromAt),
      due.map(({ toAt }) => toAt),
      due.map(({ causes }) => causes.join(' ')),
    ],
  )
}
