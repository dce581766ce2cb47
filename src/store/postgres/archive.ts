import { seal } from '../../base/checksum.ts'
import { millisecondsInDay } from '../../base/time.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import type { Archive, CompactedBody, Compaction, DayAsked, SegmentsAsked } from '../archive.ts'
import { decodeCompacted, decodeCompactedDevice, encodeCompacted } from '../codec/compact-codec.ts'
import { groupOf } from '../codec/device-group.ts'
import { decodeBody, isDamage } from '../damaged-events.ts'
import type { DueSegment } from '../due.ts'
import { byTime, decodeRow, type Segment, type SegmentRow } from '../segment-rows.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { CopiedRow } from './copy-binary.ts'
import type { Postgres } from './database.ts'
import { DayList } from './day-list.ts'
import { hasState } from './errors.ts'
import { FIRST_KEPT_DAY, shareGuard } from './guard.ts'
import type { Ids } from './ids.ts'
import type { Partitions } from './partitions.ts'
import { pruneDay } from './prune.ts'
import { int, int4, ints, type Session } from './session.ts'

/** The kinds of rows that hold raw events, as a column. */
const [SEGMENT, COMPACTED] = [0, 1]

/** What the archive is made of, besides the session that it reads in. */
export interface ArchiveParts {
  database: Postgres
  partitions: Partitions
  ids: Ids
  /** Whether the session sees one state of the store that does not change. */
  isFixed: boolean
}

export class PostgresArchive implements Archive {
  readonly shards: number
  readonly #session: Session
  readonly #parts: ArchiveParts
  readonly #days = new Map<number, DayList>()

  constructor(session: Session, shards: number, parts: ArchiveParts) {
    this.#session = session
    this.shards = shards
    this.#parts = parts
  }

  async purgedBefore(): Promise<number> {
    const [{ at }] = await this.#session.rows<{ at: number }>('SELECT purged_before AS at FROM guard WHERE id = 1')
    return at
  }

  async segments(
    shard: number,
    segments: readonly DueSegment[],
    { onDamaged, arena }: SegmentsAsked = {},
  ): Promise<Map<number, EventColumns>> {
    const days = [...new Set(segments.map(({ utcDay }) => utcDay))]
    const rows: SegmentRow[] = []
    await this.#session.copyOut(
      `SELECT ${SEGMENT}, id, utc_day, 0, count, last_at, import, body FROM segment
       WHERE shard = ${int(shard)} AND utc_day IN ${ints(days)} AND id IN ${ints(segments.map(({ id }) => id))}`,
      (row) => rows.push(segmentOf(row, shard)),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    const read = new Map<number, EventColumns>()
    for (const { id } of segments) {
      const row = found.get(id)
      if (row === undefined) continue
      try {
        read.set(id, decodeRow(row, { arena }) as EventColumns)
      } catch (error) {
        if (onDamaged === undefined || !isDamage(error)) throw error
        onDamaged(id, error)
      }
    }
    return read
  }

  async eventsOfDay(shard: number, utcDay: number, asked: DayAsked = {}): Promise<EventColumns[]> {
    const compacted: EventColumns[] = []
    const segments: SegmentRow[] = []
    await this.#session.copyOut(this.#selectDay(shard, utcDay, asked), (row) => {
      if (row.int(0) === SEGMENT) segments.push(segmentOf(row, shard))
      else compacted.push(...this.#decodeGroup(row, shard, utcDay, asked))
    })
    return [...compacted, ...byTime(segments, asked).map(({ columns }) => columns)]
  }

  /** One statement for both tables: a compaction that commits in between would hide its events from two. */
  #selectDay(shard: number, utcDay: number, { devices, which, known }: DayAsked): string {
    const ofDay = `shard = ${int(shard)} AND utc_day = ${int(utcDay)} AND utc_day >= ${FIRST_KEPT_DAY}`
    const due = `SELECT segment FROM due_segment WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)}`
    const ofWhich = which === undefined ? '' : `AND id ${which === 'due' ? '' : 'NOT '}IN (${due})`
    const isKnown =
      known === undefined || known.size === 0
        ? ''
        : `CASE WHEN id IN ${ints([...known.keys()])} THEN '' ELSE body END AS `
    const segments = `SELECT ${SEGMENT}, id, utc_day, 0, count, last_at, import, ${isKnown}body FROM segment WHERE ${ofDay} ${ofWhich}`
    if (which === 'due') return segments
    const groups =
      devices === undefined
        ? ''
        : `AND device_group IN ${ints([...new Set(devices.map((device) => groupOf(device, this.shards)))])}`
    return `${segments} UNION ALL SELECT ${COMPACTED}, id, utc_day, device_group, count, 0, 0, body FROM compacted WHERE ${ofDay} ${groups}`
  }

  #decodeGroup(row: CopiedRow, shard: number, utcDay: number, { devices, onDamaged }: DayAsked): EventColumns[] {
    const [group, count] = [row.int(3), row.int(4)]
    const members = devices?.filter((device) => groupOf(device, this.shards) === group)
    const decode = (body: Buffer): EventColumns =>
      members?.length === 1 ? decodeCompactedDevice(body, members[0]) : decodeCompacted(body)
    const stored = { body: row.view(7), shard, damage: { utcDay, events: count, group } }
    const columns = decodeBody(stored, [shard, utcDay, group], decode, onDamaged)
    return columns === null ? [] : [columns]
  }

  nextDay(shard: number, fromUtcDay: number): Promise<number | null> {
    const search = () => this.#edge(shard, 'min', `>= $2`, int4(fromUtcDay))
    if (!this.#parts.isFixed) return search()
    let days = this.#days.get(shard)
    if (days === undefined)
      this.#days.set(shard, (days = new DayList((from, to) => this.#daysBetween(shard, from, to))))
    return days.next(int4(fromUtcDay), search)
  }

  async #daysBetween(shard: number, from: number, to: number): Promise<number[]> {
    const of = (table: string): string =>
      `SELECT DISTINCT utc_day FROM ${table} WHERE shard = ${int(shard)} AND utc_day BETWEEN ${int4(from)} AND ${int4(to)}
       AND utc_day >= ${FIRST_KEPT_DAY}`
    const rows = await this.#session.rows<{ day: number }>(
      `SELECT DISTINCT utc_day AS day FROM (${of('segment')} UNION ALL ${of('compacted')}) AS days ORDER BY day`,
    )
    return rows.map(({ day }) => day)
  }

  lastDay(shard: number, toUtcDay: number): Promise<number | null> {
    return this.#edge(shard, 'max', `<= $2`, int4(toUtcDay))
  }

  async #edge(shard: number, edge: 'min' | 'max', bound: string, day: number): Promise<number | null> {
    const of = (table: string): string =>
      `SELECT ${edge}(utc_day) AS day FROM ${table} WHERE shard = $1 AND utc_day ${bound} AND utc_day >= ${FIRST_KEPT_DAY}`
    const [row] = await this.#session.rows<{ day: number | null }>(
      `SELECT ${edge}(day) AS day FROM (${of('segment')} UNION ALL ${of('compacted')}) AS days`,
      [shard, day],
    )
    return row.day
  }

  daysToCompact(beforeUtcDay: number, shard?: number): Promise<{ shard: number; utcDay: number }[]> {
    return this.#session.rows(
      `SELECT DISTINCT shard, utc_day AS "utcDay" FROM segment
       WHERE ${shard === undefined ? 'shard >= 0' : `shard = ${int(shard)}`}
         AND utc_day < $1 AND utc_day >= ${FIRST_KEPT_DAY} AND NOT EXISTS (
         SELECT 1 FROM due_segment WHERE due_segment.shard = segment.shard AND due_segment.utc_day = segment.utc_day
         AND due_segment.segment = segment.id) ORDER BY utc_day, shard`,
      [int4(beforeUtcDay)],
    )
  }

  async rolledUpSegments(shard: number, utcDay: number): Promise<Segment[]> {
    const rows: SegmentRow[] = []
    await this.#session.copyOut(
      `SELECT ${SEGMENT}, id, utc_day, 0, count, last_at, import, body FROM segment
       WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)} AND utc_day >= ${FIRST_KEPT_DAY} AND id NOT IN (
         SELECT segment FROM due_segment WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)})`,
      (row) => rows.push(segmentOf(row, shard)),
    )
    return byTime(rows, {})
  }

  async compactedGroups(shard: number, utcDay: number, groups: readonly number[]): Promise<Map<number, CompactedBody>> {
    const bodies = new Map<number, CompactedBody>()
    await this.#session.copyOut(
      `SELECT ${COMPACTED}, id, utc_day, device_group, count, 0, 0, body FROM compacted
       WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)} AND device_group IN ${ints(groups)}`,
      (row) => bodies.set(row.int(3), { id: row.int(1), columns: this.#decodeGroup(row, shard, utcDay, {})[0] }),
    )
    return bodies
  }

  prepareDays(utcDay: number): Promise<void> {
    return this.#parts.partitions.ensureAhead(utcDay)
  }

  /** Encodes the bodies before the transaction begins. */
  async compact({ shard, utcDay, segments, groups }: Compaction): Promise<boolean> {
    const { database, partitions, ids } = this.#parts
    const bodies = groups.map(({ group, columns }) => seal(encodeCompacted(columns), [shard, utcDay, group]))
    await partitions.ensure('compacted', [utcDay])
    const replaced = groups.flatMap(({ replaces }) => (replaces === null ? [] : [replaces]))
    try {
      return await allOrNothing(database, async (session) => {
        const { purgedBefore, server } = await shareGuard(session)
        if (utcDay * millisecondsInDay < purgedBefore) return false
        if (!(await deleteRows(session, 'segment', { shard, utcDay }, segments))) return false
        if (!(await deleteRows(session, 'compacted', { shard, utcDay }, replaced))) return false
        const fresh = await ids.take(session, groups.length, server)
        await insertCompacted(
          session,
          groups.map(({ group, columns }, nth) => [shard, utcDay, group, fresh[nth], columns.count, bodies[nth]]),
        )
        return true
      })
    } catch (error) {
      // Somebody else has just written a body of the same group.
      if (hasState(error, '23505')) return false
      throw error
    }
  }

  pruneDay(beforeUtcDay: number): Promise<{ utcDay: number; events: number } | null> {
    return pruneDay(this.#parts.database, int4(beforeUtcDay))
  }
}

function segmentOf(row: CopiedRow, shard: number): SegmentRow {
  const [, id, utcDay, , count, lastAt, ofImport] = [0, 1, 2, 3, 4, 5, 6].map((field) => row.int(field))
  return { id, shard, utcDay, count, lastAt, ofImport, body: row.bytes(7) }
}

/** Deletes rows of a shard's day; returns false if one of them was not there. */
export async function deleteRows(
  session: Session,
  table: 'segment' | 'compacted',
  { shard, utcDay }: { shard: number; utcDay: number },
  ids: readonly number[],
): Promise<boolean> {
  if (ids.length === 0) return true
  const gone = await session.run(`DELETE FROM ${table} WHERE shard = $1 AND utc_day = $2 AND id = ANY($3::bigint[])`, [
    shard,
    utcDay,
    ids,
  ])
  return gone === ids.length
}

type CompactedRow = readonly [shard: number, utcDay: number, group: number, id: number, count: number, body: Buffer]

/** Inserts compacted bodies. */
export const insertCompacted = (session: Session, rows: readonly CompactedRow[]): Promise<void> =>
  session.copyIn(
    'compacted',
    { shard: 'int4', utc_day: 'int4', device_group: 'int4', id: 'int8', count: 'int4', body: 'bytea' },
    rows,
  )
