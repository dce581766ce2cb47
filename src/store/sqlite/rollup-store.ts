import { decodeBlock, emptyBlock, encodeBlock } from '../codec/block-codec.ts'
import type { BlockBodies } from '../codec/block-columns.ts'
import type { DeviceDay } from '../device-day.ts'
import { reportVersion } from '../report-version.ts'
import type { KeptRevision } from '../revision.ts'
import {
  type BlockPlace,
  type DeviceState,
  type FurtherDue,
  type LastFixes,
  nextCloseAt,
  type Repair,
  type RollupCommit,
  type RollupStore,
  type RulesChange,
  type WeekRow,
} from '../rollup-store.ts'
import { WEEK_DAYS } from '../week.ts'
import { prepared, REGISTRY_VERSION, type Sqlite, writeTransaction } from './connection.ts'
import { SqliteDeviceStates } from './device-states.ts'
import { markForNotices } from './notices.ts'
import { SqliteRevisions } from './revisions.ts'
import { SqliteRollupBlocks } from './rollup-blocks.ts'
import { SqliteRollupWeeks } from './rollup-weeks.ts'
import { SqliteRules } from './rules.ts'

export class SqliteRollupStore extends SqliteRollupBlocks implements RollupStore {
  readonly shards: number
  readonly #database: Sqlite
  readonly #states: SqliteDeviceStates
  readonly #revisions: SqliteRevisions
  readonly #rules: SqliteRules
  readonly #weeks: SqliteRollupWeeks

  constructor(database: Sqlite, shards: number) {
    super(database)
    this.#database = database
    this.shards = shards
    this.#states = new SqliteDeviceStates(database)
    this.#revisions = new SqliteRevisions(database)
    this.#rules = new SqliteRules(database, shards)
    this.#weeks = new SqliteRollupWeeks(database)
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
    return reportVersion(row.rollups ?? 0, row.registry ?? 0)
  }

  async lastRollupAt(shard?: number): Promise<number | null> {
    const row =
      shard === undefined
        ? this.#sql('SELECT max(rolled_up_at) AS at FROM shard').get()
        : this.#sql('SELECT rolled_up_at AS at FROM shard WHERE shard = ?').get(shard)
    return (row as { at: number | null } | undefined)?.at ?? null
  }

  async noteRolledUp(now: number, latest: number): Promise<void> {
    writeTransaction(this.#database, () => {
      const note = this.#sql(
        `INSERT INTO shard (shard, version, rolled_up_at) VALUES (?, 0, ?)
         ON CONFLICT DO UPDATE SET rolled_up_at = excluded.rolled_up_at
         WHERE rolled_up_at IS NULL OR rolled_up_at < excluded.rolled_up_at OR rolled_up_at > ?`,
      )
      for (let shard = 0; shard < this.shards; shard++) note.run(shard, now, latest)
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

  async revisedDays(devices: readonly number[], fromDay: number, toDay: number): Promise<Map<number, number[]>> {
    return this.#revisions.days(devices, fromDay, toDay)
  }

  async eachBodies(
    blocks: readonly BlockPlace[],
    fromDay: number,
    toDay: number,
    take: (bodies: BlockBodies, nth: number) => void,
  ): Promise<void> {
    for (const [nth, { shard, block }] of blocks.entries()) {
      for (const bodies of this.#weeks.bodies(shard, block, fromDay, toDay)) take(bodies, nth)
    }
  }

  async weeks(shard: number, block: number, fromWeek: number, toWeek: number): Promise<WeekRow[]> {
    return this.#weeks.of(shard, block, fromWeek, toWeek)
  }

  async weeksToSum(shard: number, beforeDay: number): Promise<Map<number, number[]>> {
    return this.#weeks.missing(shard, beforeDay)
  }

  async sumWeeks(shard: number, block: number, weeks: readonly number[]): Promise<boolean> {
    const read = this.#database.transaction(() => ({
      version: this.#version(shard),
      bodies: weeks.map((week) => this.#weeks.sum(shard, block, week)),
    }))
    const { version, bodies } = read()
    return writeTransaction(this.#database, () => {
      if (this.#version(shard) !== version) return false
      for (const [index, week] of weeks.entries()) this.#weeks.keep(shard, block, week, bodies[index])
      return true
    })
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
      markForNotices(this.#database, commit.shard, daysOf(commit.changes))
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
      for (const { block, day } of repair.unreadable) {
        remove.run(shard, block, day)
        this.#weeks.forget(shard, block, day)
      }
      for (const { block, week } of repair.weeks) this.#weeks.forget(shard, block, week * WEEK_DAYS)
      for (const [block, days] of repair.changes) {
        for (const [day, slots] of days) this.#mergeBlock(shard, block, day, slots)
      }
      this.#states.write(repair.states)
      this.#writeDue(shard, repair.due)
      this.#revisions.write(repair.revisions, now)
      const unreadable = repair.unreadable.map(({ day }) => day)
      markForNotices(this.#database, shard, [...daysOf(repair.changes), ...unreadable])
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
    const body = this.body(shard, block, day)
    const merged = body === null ? emptyBlock() : decodeBlock(body, [shard, block, day])
    for (const [slot, rollup] of slots) merged[slot] = rollup
    this.#weeks.forget(shard, block, day)
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

function* daysOf(changes: RollupCommit['changes']): Generator<number> {
  for (const days of changes.values()) yield* days.keys()
}
