import type { BlockBodies } from '../codec/block-columns.ts'
import { reportVersion } from '../report-version.ts'
import type { KeptRevision } from '../revision.ts'
import type {
  BlockPlace,
  DeviceState,
  LastFixes,
  Repair,
  RollupCommit,
  RollupStore,
  RulesChange,
  WeekRow,
} from '../rollup-store.ts'
import { WEEK_DAYS } from '../week.ts'
import { allOrNothing } from './all-or-nothing.ts'
import { REGISTRY_VERSION } from './counters.ts'
import type { Postgres } from './database.ts'
import { readLastFixes, readStates, writeStates } from './device-states.ts'
import { writeDue } from './due.ts'
import { refuseNewerNow } from './guard.ts'
import { mergeBlocks, removeBlock } from './merge-blocks.ts'
import { markForNotices } from './noted.ts'
import type { Partitions } from './partitions.ts'
import { eraseFigures, readRevisedDays, readRevisions, writeRevisions } from './revisions.ts'
import { PostgresRollupBlocks } from './rollup-blocks.ts'
import { forgetWeeks, keepWeeks, missingWeeks, readBodies, readWeeks, sumOfWeeks } from './rollup-weeks.ts'
import { adoptRules, noteZoneClocks, readRules, readZoneClocks } from './rules.ts'
import { int, type Session } from './session.ts'

type Changes = RollupCommit['changes']

export class PostgresRollupStore extends PostgresRollupBlocks implements RollupStore {
  readonly shards: number
  readonly #session: Session
  readonly #database: Postgres
  readonly #partitions: Partitions

  constructor(
    session: Session,
    shards: number,
    parts: { database: Postgres; partitions: Partitions; isFixed: boolean },
  ) {
    super(session, parts.isFixed)
    this.#session = session
    this.shards = shards
    this.#database = parts.database
    this.#partitions = parts.partitions
  }

  async version(shard: number): Promise<number> {
    const [row] = await this.#session.rows<{ version: number }>('SELECT version FROM shard WHERE shard = $1', [shard])
    return row?.version ?? 0
  }

  async reportVersion(): Promise<string> {
    const [{ rollups, registry }] = await this.#session.rows<{ rollups: number; registry: number }>(
      `SELECT (SELECT sum(version) FROM shard WHERE shard >= 0)::bigint AS rollups, ${REGISTRY_VERSION} AS registry`,
    )
    return reportVersion(rollups, registry)
  }

  async lastRollupAt(shard?: number): Promise<number | null> {
    const of = shard === undefined ? 'shard >= 0' : `shard = ${int(shard)}`
    const [{ at }] = await this.#session.rows<{ at: number | null }>(
      `SELECT max(rolled_up_at) AS at FROM shard WHERE ${of}`,
    )
    return at
  }

  async noteRolledUp(now: number, latest: number): Promise<void> {
    const rows = await this.#session.rows<{ shard: number; at: number | null }>(
      'SELECT shard, rolled_up_at AS at FROM shard WHERE shard >= 0 ORDER BY shard',
    )
    const later = rows.filter(({ at }) => at === null || at < now || at > latest)
    // One shard after the other: a rollup that commits at this moment keeps only its own shard waiting.
    for (const { shard, at } of later) {
      await this.#session.run(
        'UPDATE shard SET rolled_up_at = $2 WHERE shard = $1 AND rolled_up_at IS NOT DISTINCT FROM $3',
        [shard, now, at],
      )
    }
  }

  async shardsRolledUpAfter(instant: number): Promise<number[]> {
    const rows = await this.#session.rows<{ shard: number }>(
      'SELECT shard FROM shard WHERE rolled_up_at > $1 ORDER BY shard',
      [instant],
    )
    return rows.map(({ shard }) => shard)
  }

  rules(): Promise<string | null> {
    return readRules(this.#session)
  }

  adoptRules(change: RulesChange): Promise<boolean> {
    return adoptRules(this.#database, this.shards, change)
  }

  zoneClocks(): Promise<Map<string, number>> {
    return readZoneClocks(this.#session)
  }

  noteZoneClocks(rules: string, clocks: ReadonlyMap<string, number>): Promise<void> {
    return noteZoneClocks(this.#database, rules, clocks)
  }

  revisions(device: number, day: number): Promise<KeptRevision[]> {
    return readRevisions(this.#session, device % this.shards, device, day)
  }

  revisedDays(devices: readonly number[], fromDay: number, toDay: number): Promise<Map<number, number[]>> {
    return readRevisedDays(this.#session, this.shards, devices, [fromDay, toDay])
  }

  eachBodies(
    blocks: readonly BlockPlace[],
    fromDay: number,
    toDay: number,
    take: (bodies: BlockBodies, nth: number) => void,
  ): Promise<void> {
    return readBodies(this.#session, blocks, [fromDay, toDay], take)
  }

  weeks(shard: number, block: number, fromWeek: number, toWeek: number): Promise<WeekRow[]> {
    return readWeeks(this.#session, shard, block, fromWeek, toWeek)
  }

  weeksToSum(shard: number, beforeDay: number): Promise<Map<number, number[]>> {
    return missingWeeks(this.#session, shard, beforeDay)
  }

  async sumWeeks(shard: number, block: number, weeks: readonly number[]): Promise<boolean> {
    const { version, bodies } = await this.#database.snapshot(async (session) => ({
      version: await versionOf(session, shard, ''),
      bodies: await sumOfWeeks(session, shard, block, weeks),
    }))
    return this.#change(shard, version, (session) => keepWeeks(session, shard, block, weeks, bodies))
  }

  states(devices: readonly number[], onDamaged?: (device: number) => void): Promise<Map<number, DeviceState>> {
    return readStates(this.#session, this.shards, devices, onDamaged)
  }

  lastFixes(): Promise<LastFixes> {
    return readLastFixes(this.#session, this.shards)
  }

  /** Writes in one transaction that locks the shard, unless its version is another one by now. */
  #change(shard: number, version: number, write: (session: Session) => Promise<void>): Promise<boolean> {
    return allOrNothing(this.#database, async (session) => {
      await refuseNewerNow(session)
      if ((await versionOf(session, shard, 'FOR UPDATE')) !== version) return false
      await write(session)
      return true
    })
  }

  async commit(commit: RollupCommit): Promise<boolean> {
    const { shard, version, now } = commit
    await this.#partitions.ensure('rollup_block', daysOf(commit.changes))
    return this.#change(shard, version, async (session) => {
      await mergeBlocks(session, shard, commit.changes)
      await writeStates(session, shard, this.shards, commit.states)
      await deleteDue(session, shard, commit)
      await writeDue(session, shard, commit.furtherDue)
      await eraseFigures(
        session,
        shard,
        commit.erasedDays.map(({ device, day }) => ({ device, from: day, to: day })),
      )
      await writeRevisions(session, shard, commit.revisions, now)
      await markForNotices(session, shard, daysOf(commit.changes))
      await session.run('UPDATE shard SET version = version + 1, rolled_up_at = $2 WHERE shard = $1', [shard, now])
    })
  }

  async repair(repair: Repair): Promise<boolean> {
    const { shard, version, now } = repair
    await this.#partitions.ensure('rollup_block', daysOf(repair.changes))
    return this.#change(shard, version, async (session) => {
      for (const { block, day } of repair.unreadable) await removeBlock(session, shard, block, day)
      await forgetWeeks(session, shard, [
        ...repair.unreadable,
        ...repair.weeks.map(({ block, week }) => ({ block, day: week * WEEK_DAYS })),
      ])
      await mergeBlocks(session, shard, repair.changes)
      await writeStates(session, shard, this.shards, repair.states)
      await writeDue(session, shard, repair.due)
      await writeRevisions(session, shard, repair.revisions, now)
      const unreadable = repair.unreadable.map(({ day }) => day)
      await markForNotices(session, shard, [...daysOf(repair.changes), ...unreadable])
      await session.run('UPDATE shard SET version = version + 1 WHERE shard = $1', [shard])
    })
  }
}

async function versionOf(session: Session, shard: number, lock: '' | 'FOR UPDATE'): Promise<number> {
  const [row] = await session.rows<{ version: number }>(`SELECT version FROM shard WHERE shard = $1 ${lock}`, [shard])
  return row.version
}

function* daysOf(changes: Changes): Generator<number> {
  for (const days of changes.values()) yield* days.keys()
}

async function deleteDue(session: Session, shard: number, commit: RollupCommit): Promise<void> {
  const { doneSegments, doneDevices } = commit
  if (doneSegments.length > 0) {
    await session.run('DELETE FROM due_segment WHERE shard = $1 AND segment = ANY($2::bigint[])', [shard, doneSegments])
  }
  if (doneDevices.length > 0) {
    await session.run('DELETE FROM due_device WHERE shard = $1 AND id = ANY($2::bigint[])', [shard, doneDevices])
  }
}
