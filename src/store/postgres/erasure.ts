import { seal, unseal } from '../../base/checksum.ts'
import { millisecondsInDay } from '../../base/time.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import { decodeCompacted, encodeCompacted, holdsImports } from '../codec/compact-codec.ts'
import { groupOf } from '../codec/device-group.ts'
import { encodeSegment } from '../codec/segment-codec.ts'
import { END_OF_TIME } from '../due.ts'
import type {
  DayErasure,
  DeviceRest,
  ErasableDay,
  ErasedRest,
  EraseStore,
  EraseTarget,
  KnownImport,
  ShardDay,
} from '../erase-store.ts'
import { boundsOf } from '../event-bounds.ts'
import { decodeRow } from '../segment-rows.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { deleteRows, insertCompacted } from './archive.ts'
import { Additions } from './counters.ts'
import type { Postgres } from './database.ts'
import { writeStates } from './device-states.ts'
import { withdrawNotices } from './erased-notices.ts'
import { PostgresErasedRest } from './erased-rest.ts'
import { shareGuard } from './guard.ts'
import type { Ids } from './ids.ts'
import { forgetPart, importOf, latestImports } from './imports.ts'
import { insertSegments } from './landing.ts'
import { countWithin } from './placements.ts'
import { eraseFigures } from './revisions.ts'
import { int, type Session } from './session.ts'

/** The tables that erased rows leave room in. */
const TABLES = ['segment', 'compacted', 'reject', 'placement', 'revision', 'state_block', 'told', 'notice', 'device']

const VACUUM_MS = 60 * 60_000

export class PostgresErasure implements EraseStore {
  readonly #session: Session
  readonly #shards: number
  readonly #database: Postgres
  readonly #ids: Ids
  readonly #rest: PostgresErasedRest

  constructor(session: Session, shards: number, { database, ids }: { database: Postgres; ids: Ids }) {
    this.#session = session
    this.#shards = shards
    this.#database = database
    this.#ids = ids
    this.#rest = new PostgresErasedRest(session, database, shards)
  }

  async erasableDay({ shard, utcDay }: ShardDay, target: EraseTarget): Promise<ErasableDay> {
    const [{ version, purgedBefore }] = await this.#session.rows<Pick<ErasableDay, 'version' | 'purgedBefore'>>(
      `SELECT version, (SELECT purged_before FROM guard WHERE id = 1) AS "purgedBefore" FROM shard WHERE shard = $1`,
      [shard],
    )
    return {
      version,
      purgedBefore,
      segments: await this.#segments(shard, utcDay, target),
      compacted: await this.#bodies(shard, utcDay, target),
    }
  }

  async #segments(shard: number, utcDay: number, target: EraseTarget): Promise<ErasableDay['segments']> {
    const ofDay = `shard = ${int(shard)} AND utc_day = ${int(utcDay)}`
    const ofImport = 'import' in target ? `AND import = ${int(target.import)}` : ''
    const segments: ErasableDay['segments'] = []
    await this.#session.copyOut(
      `SELECT id, count, import, (id IN (SELECT segment FROM due_segment WHERE ${ofDay}))::int, body
       FROM segment WHERE ${ofDay} ${ofImport}`,
      (row) => {
        const [id, count, of, isDue] = [0, 1, 2, 3].map((field) => row.int(field))
        const columns = decodeRow({ id, shard, utcDay, count, lastAt: 0, ofImport: of, body: row.bytes(4) })
        segments.push({ id, isDue: isDue === 1, ofImport: of, columns: columns as EventColumns })
      },
    )
    return segments
  }

  async #bodies(shard: number, utcDay: number, target: EraseTarget): Promise<ErasableDay['compacted']> {
    const ofGroup = 'device' in target ? `AND device_group = ${int(groupOf(target.device, this.#shards))}` : ''
    const bodies: ErasableDay['compacted'] = []
    await this.#session.copyOut(
      `SELECT id, device_group, body FROM compacted
       WHERE shard = ${int(shard)} AND utc_day = ${int(utcDay)} ${ofGroup}`,
      (row) => {
        const [id, group, body] = [row.int(0), row.int(1), row.bytes(2)]
        if ('import' in target && !holdsImports(body)) return
        bodies.push({ id, group, columns: decodeCompacted(unseal(body, [shard, utcDay, group])) })
      },
    )
    return bodies
  }

  async eraseDay(erasure: DayErasure): Promise<boolean> {
    const { shard, utcDay } = erasure
    const segments = erasure.segments.map(({ columns }) => seal(encodeSegment(columns), [shard, utcDay]))
    const compacted = erasure.compacted.map(({ group, columns }) =>
      seal(encodeCompacted(columns), [shard, utcDay, group]),
    )
    return allOrNothing(this.#database, async (session) => {
      const { purgedBefore, server } = await shareGuard(session)
      if (purgedBefore !== erasure.purgedBefore) return false
      const [row] = await session.rows<{ version: number }>('SELECT version FROM shard WHERE shard = $1 FOR UPDATE', [
        shard,
      ])
      if (row.version !== erasure.version) return false
      if (!(await removeRows(session, erasure))) return false
      const ids = await this.#ids.take(session, segments.length + compacted.length, server)
      await insertRows(session, erasure, { segments, compacted, ids })
      await this.#writeWhatFollows(session, erasure)
      return true
    })
  }

  async #writeWhatFollows(
    session: Session,
    { shard, utcDay, states, due, localDays, events, ...erasure }: DayErasure,
  ): Promise<void> {
    await writeStates(session, shard, this.#shards, states)
    await session.run(
      `INSERT INTO due_device (shard, device, from_at, to_at, cause)
       SELECT $1::int, device, from_at, to_at, cause
       FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::text[]) AS due (device, from_at, to_at, cause)
       WHERE to_at < ${END_OF_TIME} OR NOT EXISTS (
         SELECT 1 FROM due_device AS known WHERE known.shard = $1 AND known.device = due.device
         AND known.to_at = due.to_at AND known.cause = due.cause AND known.from_at = due.from_at)`,
      [
        shard,
        due.map(({ device }) => device),
        due.map(({ fromAt }) => fromAt),
        due.map(({ toAt }) => toAt),
        due.map(({ causes }) => causes.join(' ')),
      ],
    )
    const devices = [...new Set(due.map(({ device }) => device))]
    await eraseFigures(
      session,
      shard,
      devices.map((device) => ({ device, ...localDays })),
    )
    await withdrawNotices(session, this.#shards, shard, devices)
    await session.run('UPDATE shard SET version = version + 1 WHERE shard = $1', [shard])
    if (erasure.import !== null) await forgetPart(session, erasure.import, shard, utcDay)
    const additions = new Additions()
    additions.add('erased', events)
    await additions.write(session)
  }

  eraseDeviceRest(rest: DeviceRest, dryRun: boolean): Promise<ErasedRest> {
    return dryRun ? this.#rest.countOfDevice(rest, this.#session) : this.#rest.ofDevice(rest)
  }

  eraseImportRest(ofImport: number, now: number): Promise<ErasedRest> {
    return this.#rest.ofImport(ofImport, now)
  }

  countImportRest(ofImport: number): Promise<ErasedRest> {
    return this.#rest.countOfImport(ofImport)
  }

  devicesOfImport(ofImport: number): Promise<number[]> {
    return this.#rest.devicesOf(ofImport)
  }

  placementsWithin(device: number, fromAt: number, toAt: number): Promise<number> {
    return countWithin(this.#session, { shard: device % this.#shards, device }, fromAt, toAt)
  }

  import(id: string): Promise<KnownImport | null> {
    return importOf(this.#session, id)
  }

  latestImports(limit: number): Promise<KnownImport[]> {
    return latestImports(this.#session, limit)
  }

  importDays(ofImport: number): Promise<ShardDay[]> {
    return this.#session.rows<ShardDay>(
      'SELECT shard, utc_day AS "utcDay" FROM import_part WHERE import = $1 ORDER BY utc_day, shard',
      [ofImport],
    )
  }

  /** Lets the server use the room of erased rows again. Its write-ahead log and its backups keep them for a while. */
  async overwriteFreed(): Promise<null> {
    for (const table of TABLES) await this.#database.withClient((client) => client.query(`VACUUM ${table}`), VACUUM_MS)
    return null
  }
}

/** Deletes rows; returns false if a compaction or a deletion has already removed one of them. */
async function removeRows(session: Session, erasure: DayErasure): Promise<boolean> {
  const { shard, utcDay, goneSegments, goneCompacted } = erasure
  if (!(await deleteRows(session, 'segment', erasure, goneSegments))) return false
  await session.run('DELETE FROM due_segment WHERE shard = $1 AND utc_day = $2 AND segment = ANY($3::bigint[])', [
    shard,
    utcDay,
    goneSegments,
  ])
  return deleteRows(session, 'compacted', erasure, goneCompacted)
}

async function insertRows(
  session: Session,
  erasure: DayErasure,
  { segments, compacted, ids }: { segments: readonly Buffer[]; compacted: readonly Buffer[]; ids: readonly number[] },
): Promise<void> {
  const { shard, utcDay } = erasure
  await insertSegments(
    session,
    erasure.segments.map(({ columns, ofImport, isDue }, nth) => {
      const [first, last] = boundsOf(columns)
      const midnight = utcDay * millisecondsInDay
      const at = { firstAt: midnight + first, lastAt: midnight + last }
      return { shard, utcDay, ...at, id: ids[nth], count: columns.count, ofImport, isDue, body: segments[nth] }
    }),
  )
  await insertCompacted(
    session,
    erasure.compacted.map(({ group, columns }, nth) => [
      shard,
      utcDay,
      group,
      ids[segments.length + nth],
      columns.count,
      compacted[nth],
    ]),
  )
}
