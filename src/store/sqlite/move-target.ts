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
  type MoveState,
  type MoveTarget,
  overtaken,
  requireUse,
  type StoreRest,
  usedTarget,
} from '../moving.ts'
import type { StoreOptions } from '../open-store.ts'
import { openSqlite } from './connection.ts'
import { prepared, type Sqlite } from './database.ts'
import { asStoreError } from './errors.ts'
import { readMoveRun, readMoveState, writeMoveRun, writeMoveState } from './move-state.ts'
import { putMessageRows, putToldRows, type ToldOfDay } from './moved-notices.ts'
import { addRows, putDeviceRows, putRejects, putRestRows, putRollupRows } from './moved-rows.ts'
import { asStore, withStoreErrors } from './store.ts'
import { boundWal } from './wal.ts'

/** Opens or creates a store in a file as the target of a move; see openMoveTarget. */
export function openSqliteMoveTarget({ location, rejectsKept }: StoreOptions): MoveTarget {
  const database = openSqlite(location)
  try {
    const run = begin(database)
    const store = asStore(database, rejectsKept)
    return withStoreErrors(new SqliteMoveTarget(database, run, store))
  } catch (error) {
    database.close()
    throw error
  }
}

/** Sets whether a store may be used; see setMoveState. */
export function setSqliteMoveState({ location }: StoreOptions, state: Exclude<MoveState, 'unfinished'>): void {
  const database = openSqlite(location)
  try {
    requireUse(readMoveState(database), 'read')
    database.transaction(() => writeMoveState(database, state)).immediate()
  } catch (error) {
    throw asStoreError(error)
  } finally {
    database.close()
  }
}

/** Makes the store an unfinished one that only this run writes. @throws CoolerError `bad-configuration` */
function begin(database: Sqlite): number {
  const run = randomInt(1, 2 ** 31)
  const take = database.transaction(() => {
    const used = prepared(
      database,
      'SELECT EXISTS (SELECT 1 FROM device) OR EXISTS (SELECT 1 FROM reject) OR EXISTS (SELECT 1 FROM subscription) AS used',
    )
    const isUsed = (used.get() as { used: number }).used === 1
    if (readMoveState(database) !== 'unfinished' && isUsed) throw usedTarget()
    writeMoveState(database, 'unfinished')
    writeMoveRun(database, run)
  })
  take.immediate()
  return run
}

class SqliteMoveTarget implements MoveTarget {
  readonly shards: number
  readonly view: MoveTarget['view']
  readonly #database: Sqlite
  readonly #run: number
  readonly #close: () => Promise<void>

  constructor(database: Sqlite, run: number, store: ReturnType<typeof asStore>) {
    this.#database = database
    this.#run = run
    this.view = store
    this.shards = store.archive.shards
    this.#close = store.close
  }

  #write<Result>(work: () => Result): Result {
    const guarded = (): Result => {
      if (readMoveRun(this.#database) !== this.#run) throw overtaken()
      return work()
    }
    const result = this.#database.transaction(guarded).immediate()
    boundWal(this.#database)
    return result
  }

  #note({ kind, unit, mark }: MovedUnit): void {
    this.#sql('DELETE FROM moved_unit WHERE kind = ? AND unit = ?').run(kind, unit)
    if (mark !== null) this.#sql('INSERT INTO moved_unit (kind, unit, mark) VALUES (?, ?, ?)').run(kind, unit, mark)
  }

  async numbers(): Promise<[number, number][]> {
    const rows = this.#sql('SELECT source, target FROM moved_device').all() as { source: number; target: number }[]
    return rows.map(({ source, target }) => [source, target])
  }

  async marks(kind: MovedUnit['kind']): Promise<Map<string, string>> {
    const rows = this.#sql('SELECT unit, mark FROM moved_unit WHERE kind = ? ORDER BY unit').all(kind)
    return new Map((rows as { unit: string; mark: string }[]).map(({ unit, mark }) => [unit, mark]))
  }

  async addDevices(devices: readonly MovedDevice[]): Promise<number[]> {
    return this.#write(() => addRows(this.#database, devices))
  }

  async putDevices(unit: MovedUnit, rows: Parameters<MoveTarget['putDevices']>[1]): Promise<void> {
    this.#write(() => {
      putDeviceRows(this.#database, rows)
      this.#note(unit)
    })
  }

  async putSegments(unit: MovedUnit, segments: readonly MovedSegment[]): Promise<void> {
    const bodies = segments.map(({ columns, shard, utcDay }) => seal(encodeSegment(columns), [shard, utcDay]))
    this.#write(() => {
      this.#deleteSegments(unit.unit)
      for (const [nth, segment] of segments.entries()) this.#insertSegment(unit.unit, segment, bodies[nth])
      this.#note(unit)
    })
  }

  #deleteSegments(unit: string): void {
    const ofUnit = '(SELECT segment FROM moved_segment WHERE unit = ?)'
    this.#sql(`DELETE FROM segment WHERE id IN ${ofUnit}`).run(unit)
    this.#sql(`DELETE FROM due_segment WHERE segment IN ${ofUnit}`).run(unit)
    this.#sql('DELETE FROM moved_segment WHERE unit = ?').run(unit)
  }

  #insertSegment(unit: string, { shard, utcDay, ofImport, isDue, columns }: MovedSegment, body: Buffer): void {
    const [first, last] = boundsOf(columns).map((at) => utcDay * millisecondsInDay + at)
    const insert =
      'INSERT INTO segment (shard, utc_day, count, first_at, last_at, body, import) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const { lastInsertRowid } = this.#sql(insert).run(shard, utcDay, columns.count, first, last, body, ofImport)
    const due = 'INSERT INTO due_segment (segment, shard, utc_day, first_at) VALUES (?, ?, ?, ?)'
    if (isDue) this.#sql(due).run(lastInsertRowid, shard, utcDay, first)
    this.#sql('INSERT INTO moved_segment (unit, segment) VALUES (?, ?)').run(unit, lastInsertRowid)
    if (ofImport !== 0) this.#notePart(ofImport, shard, utcDay)
  }

  #notePart(ofImport: number, shard: number, utcDay: number): void {
    const insert = 'INSERT OR IGNORE INTO import_part (import, shard, utc_day) VALUES (?, ?, ?)'
    this.#sql(insert).run(ofImport, shard, utcDay)
  }

  async segmentsOf(unit: string): Promise<{ shard: number; utcDay: number; id: number }[]> {
    return this.#sql(
      'SELECT shard, utc_day AS utcDay, id FROM moved_segment JOIN segment ON id = segment WHERE unit = ? ORDER BY id',
    ).all(unit) as { shard: number; utcDay: number; id: number }[]
  }

  async putCompacted(
    unit: MovedUnit,
    { utcDay, shards }: Parameters<MoveTarget['putCompacted']>[1],
    groups: Parameters<MoveTarget['putCompacted']>[2],
  ): Promise<void> {
    const bodies = groups.map(({ shard, group, columns }) => seal(encodeCompacted(columns), [shard, utcDay, group]))
    const insert = this.#sql('INSERT INTO compacted (shard, utc_day, device_group, count, body) VALUES (?, ?, ?, ?, ?)')
    this.#write(() => {
      for (const shard of shards) this.#sql('DELETE FROM compacted WHERE shard = ? AND utc_day = ?').run(shard, utcDay)
      for (const [nth, { shard, group, columns }] of groups.entries()) {
        insert.run(shard, utcDay, group, columns.count, bodies[nth])
        for (const ofImport of new Set(columns.imports ?? []))
          if (ofImport !== 0) this.#notePart(ofImport, shard, utcDay)
      }
      this.#note(unit)
    })
  }

  async putRollups(
    unit: MovedUnit,
    place: Parameters<MoveTarget['putRollups']>[1],
    blocks: Parameters<MoveTarget['putRollups']>[2],
  ): Promise<void> {
    this.#write(() => {
      putRollupRows(this.#database, place, blocks)
      this.#note(unit)
    })
  }

  async putTold(unit: MovedUnit, ...told: ToldOfDay): Promise<void> {
    this.#write(() => {
      putToldRows(this.#database, this.shards, ...told)
      this.#note(unit)
    })
  }

  async putMessages(messages: readonly MovedMessage[]): Promise<void> {
    this.#write(() => putMessageRows(this.#database, messages))
  }

  async deleteMessages(ids: readonly string[]): Promise<void> {
    this.#write(() =>
      this.#sql('DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids)),
    )
  }

  async addRejects(rejects: readonly MovedReject[]): Promise<void> {
    this.#write(() => putRejects(this.#database, rejects))
  }

  async deleteRejects(ids: readonly number[]): Promise<void> {
    this.#write(() =>
      this.#sql('DELETE FROM reject WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids)),
    )
  }

  async putRest(rest: StoreRest): Promise<void> {
    this.#write(() => putRestRows(this.#database, this.shards, rest))
  }

  async finish(): Promise<void> {
    this.#write(() => {
      for (const table of ['moved_device', 'moved_unit', 'moved_segment']) this.#database.exec(`DELETE FROM ${table}`)
      writeMoveState(this.#database, 'in-use')
      writeMoveRun(this.#database, 0)
    })
  }

  close(): Promise<void> {
    return this.#close()
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
