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
import { decodeRow, type SegmentRow } from '../segment-rows.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { SqliteCompacted } from './compacted.ts'
import { prepared, type Sqlite } from './connection.ts'
import { SqliteCounters } from './counters.ts'
import { SqliteDeviceStates } from './device-states.ts'
import { withdrawNotices } from './erased-notices.ts'
import { SqliteErasedRest } from './erased-rest.ts'
import { overwriteFreed, overwriting } from './overwrite.ts'
import { SqlitePlacements } from './placements.ts'
import { SqliteRevisions } from './revisions.ts'
import { SELECT_SEGMENT } from './select-segments.ts'

const IMPORT = 'number, id, started_at AS startedAt, files'

export class SqliteErasure implements EraseStore {
  readonly #database: Sqlite
  readonly #shards: number
  readonly #compacted: SqliteCompacted
  readonly #counters: SqliteCounters
  readonly #states: SqliteDeviceStates
  readonly #revisions: SqliteRevisions
  readonly #placements: SqlitePlacements
  readonly #rest: SqliteErasedRest

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
    this.#compacted = new SqliteCompacted(database, shards)
    this.#counters = new SqliteCounters(database)
    this.#states = new SqliteDeviceStates(database)
    this.#revisions = new SqliteRevisions(database)
    this.#placements = new SqlitePlacements(database, shards)
    this.#rest = new SqliteErasedRest(database, shards)
  }

  async erasableDay({ shard, utcDay }: ShardDay, target: EraseTarget): Promise<ErasableDay> {
    return {
      version: this.#version(shard),
      purgedBefore: this.#compacted.purgedBefore(),
      segments: this.#segments(shard, utcDay, target),
      compacted: this.#bodies(shard, utcDay, target),
    }
  }

  #version(shard: number): number {
    const row = this.#sql('SELECT version FROM shard WHERE shard = ?').get(shard) as { version: number } | undefined
    return row?.version ?? 0
  }

  #segments(shard: number, utcDay: number, target: EraseTarget): ErasableDay['segments'] {
    const ofImport = 'import' in target ? 'AND import = ?' : ''
    const rows = this.#sql(`${SELECT_SEGMENT} WHERE shard = ? AND utc_day = ? ${ofImport} ORDER BY id`).all(
      shard,
      utcDay,
      ...('import' in target ? [target.import] : []),
    ) as SegmentRow[]
    const due = this.#sql('SELECT 1 FROM due_segment WHERE segment = ?')
    return rows.map((row) => ({
      id: row.id,
      ofImport: row.ofImport,
      isDue: due.get(row.id) !== undefined,
      columns: decodeRow(row) as EventColumns,
    }))
  }

  #bodies(shard: number, utcDay: number, target: EraseTarget): ErasableDay['compacted'] {
    const ofGroup = 'device' in target ? 'AND device_group = ?' : ''
    const rows = this.#sql(
      `SELECT id, device_group AS "group", body FROM compacted WHERE shard = ? AND utc_day = ? ${ofGroup} ORDER BY id`,
    ).all(shard, utcDay, ...('device' in target ? [groupOf(target.device, this.#shards)] : []))
    return (rows as { id: number; group: number; body: Buffer }[])
      .filter(({ body }) => 'device' in target || holdsImports(body))
      .map(({ body, ...row }) => ({
        ...row,
        columns: decodeCompacted(unseal(body, [shard, utcDay, row.group])),
      }))
  }

  async eraseDay(erasure: DayErasure): Promise<boolean> {
    const { shard, utcDay } = erasure
    const bodies = {
      segments: erasure.segments.map(({ columns }) => seal(encodeSegment(columns), [shard, utcDay])),
      compacted: erasure.compacted.map(({ group, columns }) => seal(encodeCompacted(columns), [shard, utcDay, group])),
    }
    const erase = (): boolean => {
      if (this.#version(shard) !== erasure.version) return false
      if (this.#compacted.purgedBefore() !== erasure.purgedBefore) return false
      if (!this.#removeRows(erasure)) return false
      this.#insertRows(erasure, bodies)
      this.#writeWhatFollows(erasure)
      return true
    }
    return overwriting(this.#database, () => allOrNothing(this.#database, erase))
  }

  /** Deletes rows; returns false if a compaction or a deletion has already removed one of them. */
  #removeRows({ goneSegments, goneCompacted }: DayErasure): boolean {
    const segment = this.#sql('DELETE FROM segment WHERE id = ?')
    const due = this.#sql('DELETE FROM due_segment WHERE segment = ?')
    for (const id of goneSegments) {
      if (segment.run(id).changes !== 1) return false
      due.run(id)
    }
    const compacted = this.#sql('DELETE FROM compacted WHERE id = ?')
    return goneCompacted.every((id) => compacted.run(id).changes === 1)
  }

  #insertRows(erasure: DayErasure, bodies: { segments: readonly Buffer[]; compacted: readonly Buffer[] }): void {
    const { shard, utcDay } = erasure
    const segment = this.#sql(
      'INSERT INTO segment (shard, utc_day, count, first_at, last_at, body, import) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const due = this.#sql('INSERT INTO due_segment (segment, shard, utc_day, first_at) VALUES (?, ?, ?, ?)')
    for (const [index, { columns, ofImport, isDue }] of erasure.segments.entries()) {
      const { count } = columns
      const [first, last] = boundsOf(columns).map((at) => utcDay * millisecondsInDay + at)
      const { lastInsertRowid } = segment.run(shard, utcDay, count, first, last, bodies.segments[index], ofImport)
      if (isDue) due.run(lastInsertRowid, shard, utcDay, first)
    }
    const compacted = this.#sql(
      'INSERT INTO compacted (shard, utc_day, device_group, count, body) VALUES (?, ?, ?, ?, ?)',
    )
    for (const [index, { group, columns }] of erasure.compacted.entries())
      compacted.run(shard, utcDay, group, columns.count, bodies.compacted[index])
  }

  #writeWhatFollows({ shard, utcDay, states, due, localDays, events, ...erasure }: DayErasure): void {
    this.#states.write(states)
    const insert = this.#sql(
      `INSERT INTO due_device (shard, device, from_at, to_at, cause) SELECT @shard, @device, @fromAt, @toAt, @cause
       WHERE @toAt < ${END_OF_TIME} OR NOT EXISTS (
         SELECT 1 FROM due_device WHERE shard = @shard AND device = @device AND to_at = @toAt AND cause = @cause
         AND from_at = @fromAt)`,
    )
    for (const { causes, ...one } of due) insert.run({ ...one, shard, cause: causes.join(' ') })
    for (const device of new Set(due.map((one) => one.device)))
      this.#revisions.eraseFigures(device, localDays.from, localDays.to)
    withdrawNotices(this.#database, this.#shards, shard, [...new Set(due.map(({ device }) => device))])
    this.#counters.add('erased', events)
    this.#sql('INSERT INTO shard (shard, version) VALUES (?, 1) ON CONFLICT DO UPDATE SET version = version + 1').run(
      shard,
    )
    if (erasure.import === null) return
    // Keeps the entry if more events of the import have landed since the rows were read; all that were read are gone.
    this.#sql(
      `DELETE FROM import_part WHERE import = @import AND shard = @shard AND utc_day = @utcDay AND NOT EXISTS (
         SELECT 1 FROM segment WHERE shard = @shard AND utc_day = @utcDay AND import = @import)`,
    ).run({ import: erasure.import, shard, utcDay })
  }

  async eraseDeviceRest(rest: DeviceRest, dryRun: boolean): Promise<ErasedRest> {
    return dryRun ? this.#rest.countOfDevice(rest) : overwriting(this.#database, () => this.#rest.ofDevice(rest))
  }

  async eraseImportRest(ofImport: number, now: number): Promise<ErasedRest> {
    return overwriting(this.#database, () => this.#rest.ofImport(ofImport, now))
  }

  async countImportRest(ofImport: number): Promise<ErasedRest> {
    return this.#rest.countOfImport(ofImport)
  }

  async devicesOfImport(ofImport: number): Promise<number[]> {
    return this.#rest.devicesOf(ofImport)
  }

  async placementsWithin(device: number, fromAt: number, toAt: number): Promise<number> {
    return this.#placements.countWithin(device, fromAt, toAt)
  }

  async import(id: string): Promise<KnownImport | null> {
    const row = this.#sql(`SELECT ${IMPORT} FROM import WHERE id = ?`).get(id)
    return (row as KnownImport | undefined) ?? null
  }

  async latestImports(limit: number): Promise<KnownImport[]> {
    return this.#sql(`SELECT ${IMPORT} FROM import ORDER BY number DESC LIMIT ?`).all(limit) as KnownImport[]
  }

  async importDays(ofImport: number): Promise<ShardDay[]> {
    return this.#sql('SELECT shard, utc_day AS utcDay FROM import_part WHERE import = ? ORDER BY utc_day, shard').all(
      ofImport,
    ) as ShardDay[]
  }

  async overwriteFreed(): Promise<boolean> {
    return overwriteFreed(this.#database)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
