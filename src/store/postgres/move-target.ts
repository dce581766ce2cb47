import { randomInt } from 'node:crypto'
import { seal } from '../../base/checksum.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { encodeCompacted } from '../codec/compact-codec.ts'
import { encodeSegment } from '../codec/segment-codec.ts'
import { boundsOf } from '../event-bounds.ts'
import {
  type MovedDevice,
  type MovedMessage,
  type MovedReject,
  type MovedSegment,
  type MovedUnit,
  type MoveTarget,
  overtaken,
  type StoreRest,
  usedTarget,
} from '../moving.ts'
import type { Store } from '../open-store.ts'
import { insertCompacted } from './archive.ts'
import type { Postgres } from './database.ts'
import { Ids } from './ids.ts'
import { noteParts } from './imports.ts'
import { insertSegments } from './landing.ts'
import { readMoveState, writeMoveState } from './move-state.ts'
import { putMessageRows, putToldRows, type ToldOfDay } from './moved-notices.ts'
import { putRestRows } from './moved-rest.ts'
import { addRows, putDeviceRows, putRejects, putRollupRows } from './moved-rows.ts'
import { Partitions } from './partitions.ts'
import type { Session } from './session.ts'

/** Takes a store as the target of a move; see openMoveTarget. @throws CoolerError `bad-configuration` */
export async function beginMove(database: Postgres): Promise<number> {
  const run = randomInt(1, 2 ** 31)
  await database.transaction(async (session) => {
    await session.rows('SELECT 1 FROM guard WHERE id = 1 FOR UPDATE')
    const [{ used }] = await session.rows<{ used: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM device WHERE shard >= 0) OR EXISTS (SELECT 1 FROM reject) OR EXISTS (SELECT 1 FROM subscription) AS used',
    )
    if (used && (await readMoveState(session)) !== 'unfinished') throw usedTarget()
    await writeMoveState(session, 'unfinished', run)
  })
  return run
}

export class PostgresMoveTarget implements MoveTarget {
  readonly shards: number
  readonly view: Store
  readonly #database: Postgres
  readonly #run: number
  readonly #ids = new Ids()
  readonly #partitions: Partitions

  constructor(database: Postgres, run: number, store: Store) {
    this.#database = database
    this.#run = run
    this.view = store
    this.shards = store.archive.shards
    this.#partitions = new Partitions(database)
  }

  /** @param work is also told the running server; see Shared.server */
  #write<Result>(work: (session: Session, server: string) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (session) => {
      const [{ run, server }] = await session.rows<{ run: number; server: string }>(
        'SELECT move_run AS run, pg_postmaster_start_time()::text AS server FROM guard WHERE id = 1 FOR SHARE',
      )
      if (run !== this.#run) throw overtaken()
      return work(session, server)
    })
  }

  async numbers(): Promise<[number, number][]> {
    const pairs: [number, number][] = []
    await this.#database.session.copyOut('SELECT source, target FROM moved_device', (row) =>
      pairs.push([row.int(0), row.int(1)]),
    )
    return pairs
  }

  async marks(kind: MovedUnit['kind']): Promise<Map<string, string>> {
    const rows = await this.#database.session.rows<{ unit: string; mark: string }>(
      'SELECT unit, mark FROM moved_unit WHERE kind = $1',
      [kind],
    )
    return new Map(rows.map(({ unit, mark }) => [unit, mark]))
  }

  addDevices(devices: readonly MovedDevice[]): Promise<number[]> {
    return this.#write((session) => addRows(session, this.shards, devices))
  }

  putDevices(unit: MovedUnit, rows: Parameters<MoveTarget['putDevices']>[1]): Promise<void> {
    return this.#write(async (session) => {
      await putDeviceRows(session, this.shards, rows)
      await note(session, unit)
    })
  }

  async putSegments(unit: MovedUnit, segments: readonly MovedSegment[]): Promise<void> {
    await this.#partitions.ensure(
      'segment',
      segments.map(({ utcDay }) => utcDay),
    )
    const encoded = segments.map(({ columns, ...segment }) => {
      const [first, last] = boundsOf(columns)
      const midnight = segment.utcDay * millisecondsInDay
      const body = seal(encodeSegment(columns), [segment.shard, segment.utcDay])
      return {
        ...segment,
        firstAt: midnight + first,
        lastAt: midnight + last,
        count: columns.count,
        body,
      }
    })
    await this.#write(async (session, server) => {
      const ids = await this.#ids.take(session, encoded.length, server)
      const rows = encoded.map((row, nth) => ({ ...row, id: ids[nth] }))
      await deleteSegments(session, unit.unit)
      await insertSegments(session, rows)
      await session.run(
        `INSERT INTO moved_segment (unit, shard, utc_day, segment)
         SELECT $1, shard, utc_day, id FROM unnest($2::int[], $3::int[], $4::bigint[]) AS added (shard, utc_day, id)`,
        [unit.unit, rows.map(({ shard }) => shard), rows.map(({ utcDay }) => utcDay), rows.map(({ id }) => id)],
      )
      for (const ofImport of new Set(rows.map((row) => row.ofImport))) {
        if (ofImport !== 0)
          await noteParts(
            session,
            ofImport,
            rows.filter((row) => row.ofImport === ofImport),
          )
      }
      await note(session, unit)
    })
  }

  segmentsOf(unit: string): Promise<{ shard: number; utcDay: number; id: number }[]> {
    return this.#database.session.rows(
      'SELECT shard, utc_day AS "utcDay", segment AS id FROM moved_segment WHERE unit = $1 ORDER BY segment',
      [unit],
    )
  }

  async putCompacted(
    unit: MovedUnit,
    { utcDay, shards }: Parameters<MoveTarget['putCompacted']>[1],
    groups: Parameters<MoveTarget['putCompacted']>[2],
  ): Promise<void> {
    await this.#partitions.ensure('compacted', [utcDay])
    const bodies = groups.map(({ shard, group, columns }) => seal(encodeCompacted(columns), [shard, utcDay, group]))
    await this.#write(async (session, server) => {
      const ids = await this.#ids.take(session, groups.length, server)
      const rows = groups.map(
        ({ shard, group, columns }, nth) => [shard, utcDay, group, ids[nth], columns.count, bodies[nth]] as const,
      )
      await session.run('DELETE FROM compacted WHERE shard = ANY($1::int[]) AND utc_day = $2', [shards, utcDay])
      await insertCompacted(session, rows)
      for (const [ofImport, parts] of partsOf(groups, utcDay)) await noteParts(session, ofImport, parts)
      await note(session, unit)
    })
  }

  async putRollups(
    unit: MovedUnit,
    place: Parameters<MoveTarget['putRollups']>[1],
    blocks: Parameters<MoveTarget['putRollups']>[2],
  ): Promise<void> {
    await this.#partitions.ensure('rollup_block', [place.day])
    await this.#write(async (session) => {
      await putRollupRows(session, place, blocks)
      await note(session, unit)
    })
  }

  putTold(unit: MovedUnit, ...told: ToldOfDay): Promise<void> {
    return this.#write(async (session) => {
      await putToldRows(session, this.shards, ...told)
      await note(session, unit)
    })
  }

  putMessages(messages: readonly MovedMessage[]): Promise<void> {
    return this.#write((session) => putMessageRows(session, messages))
  }

  async deleteMessages(ids: readonly string[]): Promise<void> {
    await this.#write((session) => session.run('DELETE FROM message WHERE id = ANY($1::text[])', [ids]))
  }

  addRejects(rejects: readonly MovedReject[]): Promise<void> {
    return this.#write((session) => putRejects(session, rejects))
  }

  async deleteRejects(ids: readonly number[]): Promise<void> {
    await this.#write((session) => session.run('DELETE FROM reject WHERE id = ANY($1::bigint[])', [ids]))
  }

  putRest(rest: StoreRest): Promise<void> {
    return this.#write((session) => putRestRows(session, this.shards, rest))
  }

  finish(): Promise<void> {
    return this.#write(async (session) => {
      for (const table of ['moved_device', 'moved_unit', 'moved_segment']) await session.run(`DELETE FROM ${table}`)
      await writeMoveState(session, 'in-use')
    })
  }

  close(): Promise<void> {
    return this.view.close()
  }
}

async function note(session: Session, { kind, unit, mark }: MovedUnit): Promise<void> {
  await session.run('DELETE FROM moved_unit WHERE kind = $1 AND unit = $2', [kind, unit])
  if (mark !== null) {
    await session.run('INSERT INTO moved_unit (kind, unit, mark) VALUES ($1, $2, $3)', [kind, unit, mark])
  }
}

async function deleteSegments(session: Session, unit: string): Promise<void> {
  const ofUnit = (id: string, table: string): string =>
    `DELETE FROM ${table} USING moved_segment AS gone WHERE unit = $1 AND ${table}.shard = gone.shard
     AND ${table}.utc_day = gone.utc_day AND ${table}.${id} = gone.segment`
  await session.run(ofUnit('id', 'segment'), [unit])
  await session.run(ofUnit('segment', 'due_segment'), [unit])
  await session.run('DELETE FROM moved_segment WHERE unit = $1 AND shard >= 0', [unit])
}

/** Returns the parts of imports that compacted events belong to. */
function partsOf(
  groups: Parameters<MoveTarget['putCompacted']>[2],
  utcDay: number,
): Map<number, { shard: number; utcDay: number }[]> {
  const parts = new Map<number, { shard: number; utcDay: number }[]>()
  for (const { shard, columns } of groups) {
    for (const ofImport of new Set(columns.imports ?? [])) {
      if (ofImport !== 0) parts.set(ofImport, [...(parts.get(ofImport) ?? []), { shard, utcDay }])
    }
  }
  return parts
}
