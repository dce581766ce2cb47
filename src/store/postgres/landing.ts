import { Arena } from '../../base/arena.ts'
import { seal } from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'
import { utcDayOf } from '../../base/time.ts'
import { takenFrom } from '../archive.ts'
import { encodeSegment } from '../codec/segment-codec.ts'
import { type Part, splitByShard } from '../codec/split-by-shard.ts'
import type { Counters, Landing, LandingGroup } from '../landing.ts'
import { addPlacements } from './add-placements.ts'
import { Additions, readCounters } from './counters.ts'
import type { Postgres } from './database.ts'
import { SHARE_GUARD, sharedOf } from './guard.ts'
import type { Ids } from './ids.ts'
import { noteParts, numberOfImport } from './imports.ts'
import type { DeviceNumbers, Numbers } from './numbers.ts'
import type { Partitions } from './partitions.ts'
import { duePlacement } from './placements.ts'
import type { PostgresRejects } from './rejects.ts'
import type { Session } from './session.ts'

/** The parts of the store that a landing writes. */
interface Parts {
  database: Postgres
  numbers: DeviceNumbers
  partitions: Partitions
  ids: Ids
  rejects: PostgresRejects
  shards: number
}

/** A segment to insert. */
interface EncodedSegment extends Omit<Part, 'columns'> {
  count: number
  body: Buffer
}

export class PostgresLanding implements Landing {
  readonly #session: Session
  readonly #parts: Parts
  /** Those that no landing uses now. */
  readonly #arenas: Arena[] = []

  constructor(session: Session, parts: Parts) {
    this.#session = session
    this.#parts = parts
  }

  counters(): Promise<Counters> {
    return readCounters(this.#session)
  }

  /** Encodes the segments before the transaction if no device is new; new ones are numbered within it. */
  async land(group: LandingGroup, landedAt: number, checkedFrom = 0): Promise<void> {
    const arena = this.#arenas.pop() ?? new Arena()
    try {
      await this.#land(group, landedAt, checkedFrom, arena)
    } finally {
      this.#arenas.push(arena)
    }
  }

  async #land(group: LandingGroup, landedAt: number, checkedFrom: number, arena: Arena): Promise<void> {
    const { database, numbers, partitions } = this.#parts
    await partitions.ensure('segment', utcDaysOf(group))
    const ofImport = await numberOfImport(this.#session, group.import)
    const known = await numbers.find(this.#session, group.ids)
    const encoded = known.fresh.includes(1) ? null : this.#encode(group, known, arena)
    const [registered, devicesErased] = await database.transaction(async (session) => {
      const additions = new Additions()
      const shared = sharedOf(session.first)
      refusePurged(group, takenFrom(shared.purgedBefore), checkedFrom)
      const isSame = numbers.forgetErased(shared.devicesErased)
      const found = isSame ? known : await numbers.find(session, group.ids)
      const isNew = found.fresh.slice()
      const fresh = isNew.includes(1) ? await numbers.register(session, found, landedAt, ofImport) : []
      const changes = await this.#landPlacements(session, group, found, ofImport)
      additions.add('registry', fresh.length > 0 || changes ? 1 : 0)
      const segments = isSame && encoded !== null ? encoded : this.#encode(group, found, arena)
      await this.#landSegments(session, segments, ofImport, shared.server)
      if (group.rejects.length > 0) {
        additions.addRejects(group.rejects)
        additions.add('rejectsDropped', await this.#parts.rejects.land(session, group.rejects, landedAt, ofImport))
      }
      additions.add('landed', group.count + group.placements.length)
      if (!additions.isEmpty) session.last(additions.sql)
      return [fresh, shared.devicesErased] as const
    }, SHARE_GUARD)
    numbers.keep(registered, devicesErased)
  }

  /**
   * Lands placements; returns whether one of them changes what the registry says. A device that this landing registers
   * has no rollups yet, so its placements make nothing due.
   */
  async #landPlacements(
    session: Session,
    { placements }: LandingGroup,
    { number, fresh }: Numbers,
    ofImport: number,
  ): Promise<boolean> {
    const { shards } = this.#parts
    const placed = placements.map((placement) => ({
      ...placement,
      isFresh: fresh[placement.device] === 1,
      device: number[placement.device],
      shard: number[placement.device] % shards,
    }))
    // In one order, so that two landings of the same placements do not wait in a circle.
    placed.sort((one, other) => one.device - other.device || one.at - other.at || one.seq - other.seq)
    const added = await addPlacements(session, placed, ofImport)
    for (const [nth, { isFresh, ...placement }] of placed.entries()) {
      if (added[nth].isNew && !isFresh) await duePlacement(session, placement, placement.at)
    }
    return added.some(({ isNew, isReaddressed }) => isNew || isReaddressed)
  }

  #encode(group: LandingGroup, { number }: Numbers, arena: Arena): EncodedSegment[] {
    arena.clear()
    return splitByShard(group, number, this.#parts.shards, arena).map(({ columns, ...part }) => ({
      ...part,
      count: columns.count,
      body: seal(encodeSegment(columns, arena), [part.shard, part.utcDay]),
    }))
  }

  async #landSegments(
    session: Session,
    segments: readonly EncodedSegment[],
    ofImport: number,
    server: string,
  ): Promise<void> {
    const ids = await this.#parts.ids.take(session, segments.length, server)
    await insertSegments(
      session,
      segments.map((segment, nth) => ({ ...segment, id: ids[nth], ofImport, isDue: true })),
    )
    if (ofImport !== 0) await noteParts(session, ofImport, segments)
  }
}

/** A segment as it is stored. */
export interface SegmentToInsert extends EncodedSegment {
  id: number
  ofImport: number
  isDue: boolean
}

/** Inserts segments, and an entry for each that is due. */
export async function insertSegments(session: Session, segments: readonly SegmentToInsert[]): Promise<void> {
  await session.copyIn(
    'segment',
    {
      shard: 'int4',
      utc_day: 'int4',
      id: 'int8',
      count: 'int4',
      first_at: 'int8',
      last_at: 'int8',
      import: 'int4',
      body: 'bytea',
    },
    segments.map(({ shard, utcDay, id, count, firstAt, lastAt, ofImport, body }) => [
      shard,
      utcDay,
      id,
      count,
      firstAt,
      lastAt,
      ofImport,
      body,
    ]),
  )
  await session.copyIn(
    'due_segment',
    { shard: 'int4', utc_day: 'int4', segment: 'int8', first_at: 'int8' },
    segments.filter(({ isDue }) => isDue).map(({ shard, utcDay, id, firstAt }) => [shard, utcDay, id, firstAt]),
  )
}

/** Refuses events whose raw day may have been deleted since they were checked, so that all are checked again. */
function refusePurged({ at, count }: LandingGroup, bound: number, checkedFrom: number): void {
  if (bound <= checkedFrom) return
  if (at.subarray(0, count).some((instant) => instant < bound)) {
    throw new CoolerError('store-busy', 'raw events of this day have just been deleted: try again')
  }
}

function utcDaysOf({ at, count }: LandingGroup): Set<number> {
  const days = new Set<number>()
  let day = Number.NaN
  for (let row = 0; row < count; row++) {
    const next = utcDayOf(at[row])
    if (next !== day) days.add((day = next))
  }
  return days
}
