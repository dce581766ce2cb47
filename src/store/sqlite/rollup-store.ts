import { decodeBlock, emptyBlock, encodeBlock } from '../codec/block-codec.ts'
import type { BlockBodies } from '../codec/block-columns.ts'
import type { DeviceDay } from '../device-day.ts'
import type { KeptRevision } from '../revision.ts'
import {
  type BlockRow,
  type DeviceState,
  type FurtherDue,
  type LastFixes,
  nextCloseAt,
  type Repair,
  type RollupCommit,
  type RollupStore,
  type RulesChange,
  type StoredBlockRow,
} from '../rollup-store.ts'
import { prepared, REGISTRY_VERSION, type Sqlite, writeTransaction } from './connection.ts'
import { SqliteDeviceStates } from './device-states.ts'
import { SqliteRevisions } from './revisions.ts'
import { SqliteRules } from './rules.ts'

export class SqliteRollupStore implements RollupStore {
  readonly shards: number
  readonly #database: Sqlite
  readonly #states: SqliteDeviceStates
  readonly #revisions: SqliteRevisions
  readonly #rules: SqliteRules

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.shards = shards
    this.#states = new SqliteDeviceStates(database)
    this.#revisions = new SqliteRevisions(database)
    this.#rules = new SqliteRules(database, shards)
  }

  async version(shard: number): Promise<number> {
    return this.#version(shard)
  }

  #version(shard: number): number {
    const row = this.#sql('SELECT version FROM shard WHERE shard = ?').get(shard) as { version: number } | undefined
    return row?.version ?? 0
  }

  async reportVersion(): Promise<string> {
    // One statement, because every request for a report runs it.
    const row = this.#sql(
      `SELECT (SELECT sum(version) FROM shard) AS rollups, (SELECT value FROM counter WHERE name = ?) AS registry`,
    ).get(REGISTRY_VERSION) as { rollups: number | null; registry: number | null }
    return `${row.rollups} ${row.registry}`
  }

  async lastRollupAt(shard?: number): Promise<number | null> {
    const row =
      shard === undefined
        ? this.#sql('SELECT max(rolled_up_at) AS at FROM shard').get()
        : this.#sql('SELECT rolled_up_at AS at FROM shard WHERE shard = ?').get(shard)
    return (row as { at: number | null } | undefined)?.at ?? null
  }

  async noteRolledUp(now: number): Promise<void> {
    writeTransaction(this.#database, () => {
      const note = this.#sql(
        `INSERT INTO shard (shard, version, rolled_up_at) VALUES (?, 0, ?)
         ON CONFLICT DO UPDATE SET rolled_up_at = excluded.rolled_up_at`,
      )
      for (let shard = 0; shard < this.shards; shard++) note.run(shard, now)
    })
  }

  async shardsRolledUpAfter(instant: number): Promise<number[]> {
    return this.#sql('SELECT shard FROM shard WHERE rolled_up_at > ? ORDER BY shard').pluck().all(instant) as number[]
  }

  async rules(): Promise<string | null> {
    return this.#rules.text()
  }

  async adoptRules(change: RulesChange): Promise<boolean> {
    return this.#rules.adopt(change)
  }

  async zoneClocks(): Promise<Map<string, number>> {
    return this.#rules.zoneClocks()
  }

  async noteZoneClocks(rules: string, clocks: ReadonlyMap<string, number>): Promise<void> {
    this.#rules.noteZoneClocks(rules, clocks)
  }

  async revisions(device: number, day: number): Promise<KeptRevision[]> {
    return this.#revisions.of(device, day)
  }

  async block(shard: number, block: number, day: number): Promise<Buffer | null> {
    return this.#block(shard, block, day)
  }

  #block(shard: number, block: number, day: number): Buffer | null {
    const select = this.#sql('SELECT body FROM rollup_block WHERE shard = ? AND block = ? AND day = ?')
    return (select.get(shard, block, day) as { body: Buffer } | undefined)?.body ?? null
  }

  async blocks(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day',
    ).all(shard, block, fromDay, toDay) as BlockRow[]
  }

  async bodies(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockBodies> {
    // group_concat keeps the bytes of a BLOB. The index gives the order of days; ORDER BY would copy the bodies.
    const row = this.#sql(
      `SELECT CAST(group_concat(body, '') AS BLOB) AS bytes, count(*) AS count, min(day) AS first, max(day) AS last
       FROM rollup_block INDEXED BY sqlite_autoindex_rollup_block_1
       WHERE shard = ? AND block = ? AND day BETWEEN ? AND ?`,
    ).get(shard, block, fromDay, toDay)
    const { bytes, count, first, last } = row as { bytes: Buffer | null; count: number; first: number; last: number }
    let days = Array.from({ length: count }, (_, index) => first + index)
    if (count > 0 && last !== first + count - 1) {
      days = (await this.daysOfBlock(shard, block)).filter((day) => day >= first && day <= last)
    }
    return { bytes: bytes ?? Buffer.alloc(0), shard, block, days }
  }

  async storedRows(shard: number, block: number, fromDay: number, toDay: number): Promise<StoredBlockRow[]> {
    return this.#sql(
      `SELECT block, day, next_close_at AS nextCloseAt, body FROM rollup_block
       WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day`,
    ).all(shard, block, fromDay, toDay) as StoredBlockRow[]
  }

  async blocksBeyond(shard: number, count: number): Promise<number[]> {
    const select = this.#sql(
      'SELECT DISTINCT block FROM rollup_block WHERE shard = ? AND (block < 0 OR block >= ?) ORDER BY block',
    )
    return select.pluck().all(shard, count) as number[]
  }

  async neighbour(shard: number, block: number, day: number, direction: -1 | 1): Promise<BlockRow | null> {
    const before =
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day < ? ORDER BY day DESC LIMIT 1'
    const after =
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day > ? ORDER BY day LIMIT 1'
    return (this.#sql(direction < 0 ? before : after).get(shard, block, day) as BlockRow | undefined) ?? null
  }

  async daysOfBlock(shard: number, block: number): Promise<number[]> {
    const select = this.#sql('SELECT day FROM rollup_block WHERE shard = ? AND block = ? ORDER BY day')
    return select.pluck().all(shard, block) as number[]
  }

  async blocksOfShard(shard: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND day BETWEEN ? AND ? ORDER BY block, day',
    ).all(shard, fromDay, toDay) as BlockRow[]
  }

  async openBlocks(shard: number, until: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND next_close_at IS NOT NULL AND next_close_at <= ?',
    ).all(shard, until) as BlockRow[]
  }

  async openShards(until: number): Promise<number[]> {
    const select = this.#sql(
      'SELECT DISTINCT shard FROM rollup_block WHERE next_close_at IS NOT NULL AND next_close_at <= ?',
    )
    return select.pluck().all(until) as number[]
  }

  async states(devices: readonly number[], onDamaged?: (device: number) => void): Promise<Map<number, DeviceState>> {
    return this.#states.of(devices, onDamaged)
  }

  async lastFixes(): Promise<LastFixes> {
    return this.#states.lastFixes()
  }

  async commit(commit: RollupCommit): Promise<boolean> {
    return writeTransaction(this.#database, () => {
      if (this.#version(commit.shard) !== commit.version) return false
      for (const [block, days] of commit.changes) {
        for (const [day, slots] of days) this.#mergeBlock(commit.shard, block, day, slots)
      }
      this.#states.write(commit.states)
      const segmentDone = this.#sql('DELETE FROM due_segment WHERE segment = ?')
      for (const segment of commit.doneSegments) segmentDone.run(segment)
      const deviceDone = this.#sql('DELETE FROM due_device WHERE id = ?')
      for (const id of commit.doneDevices) deviceDone.run(id)
      this.#writeDue(commit.shard, commit.furtherDue)
      for (const { device, day } of commit.erasedDays) this.#revisions.eraseFigures(device, day, day)
      this.#revisions.write(commit.revisions, commit.now)
      this.#sql(
        `INSERT INTO shard (shard, version, rolled_up_at) VALUES (?, 1, ?)
         ON CONFLICT DO UPDATE SET version = version + 1, rolled_up_at = excluded.rolled_up_at`,
      ).run(commit.shard, commit.now)
      return true
    })
  }

  async repair(repair: Repair): Promise<boolean> {
    return writeTransaction(this.#database, () => {
      const { shard, version, now } = repair
      if (this.#version(shard) !== version) return false
      const remove = this.#sql('DELETE FROM rollup_block WHERE shard = ? AND block = ? AND day = ?')
      for (const { block, day } of repair.unreadable) remove.run(shard, block, day)
      for (const [block, days] of repair.changes) {
        for (const [day, slots] of days) this.#mergeBlock(shard, block, day, slots)
      }
      this.#states.write(repair.states)
      this.#writeDue(shard, repair.due)
      this.#revisions.write(repair.revisions, now)
      this.#sql('INSERT INTO shard (shard, version) VALUES (?, 1) ON CONFLICT DO UPDATE SET version = version + 1').run(
        shard,
      )
      return true
    })
  }

  #writeDue(shard: number, due: readonly FurtherDue[]): void {
    const insert = this.#sql('INSERT INTO due_device (shard, device, from_at, to_at, cause) VALUES (?, ?, ?, ?, ?)')
    for (const { device, fromAt, toAt, causes } of due) insert.run(shard, device, fromAt, toAt, causes.join(' '))
  }

  #mergeBlock(shard: number, block: number, day: number, slots: Map<number, DeviceDay | null>): void {
    const body = this.#block(shard, block, day)
    const merged = body === null ? emptyBlock() : decodeBlock(body, [shard, block, day])
    for (const [slot, rollup] of slots) merged[slot] = rollup
    if (merged.every((rollup) => rollup === null)) {
      this.#sql('DELETE FROM rollup_block WHERE shard = ? AND block = ? AND day = ?').run(shard, block, day)
      return
    }
    this.#sql(
      `INSERT INTO rollup_block (shard, block, day, next_close_at, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (shard, block, day) DO UPDATE SET next_close_at = excluded.next_close_at, body = excluded.body`,
    ).run(shard, block, day, nextCloseAt(merged), encodeBlock(merged, [shard, block, day]))
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
