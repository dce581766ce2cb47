import { Arena } from '../../base/arena.ts'
import { seal } from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'
import { takenFrom } from '../archive.ts'
import { encodeSegment } from '../codec/segment-codec.ts'
import { type Part, splitByShard } from '../codec/split-by-shard.ts'
import type { Counters, Landing, LandingGroup } from '../landing.ts'
import type { SqliteArchive } from './archive.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'
import { SqliteCounters } from './counters.ts'
import { SqliteImports } from './imports.ts'
import type { ExpectedNumbers, SqliteRegistry } from './registry.ts'
import type { SqliteRejects } from './rejects.ts'

/** The parts of the store that one landing writes, in one transaction. */
interface Parts {
  archive: SqliteArchive
  registry: SqliteRegistry
  rejects: SqliteRejects
}

/** A segment to insert. */
interface EncodedSegment extends Omit<Part, 'columns'> {
  count: number
  body: Buffer
}

export class SqliteLanding implements Landing {
  readonly #database: Sqlite
  readonly #parts: Parts
  readonly #imports: SqliteImports
  readonly #counters: SqliteCounters
  readonly #arena = new Arena()

  constructor(database: Sqlite, parts: Parts) {
    this.#database = database
    this.#parts = parts
    this.#imports = new SqliteImports(database)
    this.#counters = new SqliteCounters(database)
  }

  /** Encodes the segments before the transaction, for the numbers that it is expected to give to new devices. */
  async land(group: LandingGroup, landedAt: number, checkedFrom = 0): Promise<void> {
    const { registry } = this.#parts
    const expected = registry.expectNumbers(group.ids)
    const segments = this.#encode(group, expected)
    try {
      writeTransaction(this.#database, () => {
        this.#refusePurged(group, checkedFrom)
        const ofImport = this.#imports.numberOf(group.import)
        const numbers = registry.register(expected, landedAt, ofImport)
        this.#landPlacements(group, numbers, ofImport)
        this.#landSegments(numbers === expected ? segments : this.#encode(group, numbers), ofImport)
        this.#landRejects(group, landedAt, ofImport)
        this.#counters.add('landed', group.count + group.placements.length)
        registry.beforeCommit()
      })
    } catch (error) {
      registry.rolledBack()
      throw error
    }
    registry.committed()
  }

  /** Refuses events whose raw day may have been deleted since they were checked, so that all are checked again. */
  #refusePurged({ at, count }: LandingGroup, checkedFrom: number): void {
    const bound = takenFrom(this.#parts.archive.purged())
    if (bound <= checkedFrom) return
    if (at.subarray(0, count).some((instant) => instant < bound)) {
      throw new CoolerError('store-busy', 'raw events of this day have just been deleted: try again')
    }
  }

  /** Lands placements. A device that this landing registers has no rollups yet, so its placements make nothing due. */
  #landPlacements(group: LandingGroup, { number, fresh }: ExpectedNumbers, ofImport: number): void {
    const { registry } = this.#parts
    for (const placement of group.placements) {
      const device = number[placement.device]
      const added = registry.addPlacement(device, placement, ofImport)
      if (added && fresh[placement.device] === 0) registry.duePlacement(device, placement.at)
    }
  }

  #encode(group: LandingGroup, { number }: ExpectedNumbers): EncodedSegment[] {
    this.#arena.clear()
    return splitByShard(group, number, this.#parts.archive.shards, this.#arena).map(({ columns, ...part }) => ({
      ...part,
      count: columns.count,
      body: seal(encodeSegment(columns, this.#arena), [part.shard, part.utcDay]),
    }))
  }

  #landSegments(segments: readonly EncodedSegment[], ofImport: number): void {
    const segment = prepared(
      this.#database,
      'INSERT INTO segment (shard, utc_day, count, first_at, last_at, body, import) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const due = prepared(
      this.#database,
      'INSERT INTO due_segment (segment, shard, utc_day, first_at) VALUES (?, ?, ?, ?)',
    )
    for (const { shard, utcDay, firstAt, lastAt, count, body } of segments) {
      const { lastInsertRowid } = segment.run(shard, utcDay, count, firstAt, lastAt, body, ofImport)
      due.run(lastInsertRowid, shard, utcDay, firstAt)
      this.#imports.notePart(ofImport, shard, utcDay)
    }
  }

  #landRejects(group: LandingGroup, landedAt: number, ofImport: number): void {
    if (group.rejects.length === 0) return
    this.#counters.addRejects(group.rejects)
    this.#counters.add('rejectsDropped', this.#parts.rejects.land(group.rejects, landedAt, ofImport))
  }

  async counters(): Promise<Counters> {
    return this.#counters.read()
  }
}
