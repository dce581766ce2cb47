import { millisecondsInDay, millisecondsInMinute, utcDayOf } from '../base/time.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import { closingOf, type DeviceDay, isOpen } from '../store/device-day.ts'
import { type DueDevice, type DueSegment, END_OF_TIME } from '../store/due.ts'
import { readSegments } from '../store/read-segments.ts'
import { type Cause, isCause } from '../store/revision.ts'
import { type BlockRow, type DeviceState, deviceAt, type FurtherDue, type RollupCommit } from '../store/rollup-store.ts'
import { damagedState } from '../store/state-checksum.ts'
import type { StoreView } from '../store/view.ts'
import type { InclusiveSpan } from './cursor-context.ts'
import type { DamagedDevices } from './damaged-devices.ts'
import type { RollupMemory } from './rollup-memory.ts'
import type { RollupRequest } from './rollup-request.ts'
import { SeenEvents } from './seen-events.ts'

/**
 * UTC days in the window of one pass, which bounds its memory after a long time without rollups. In any zone the window
 * holds a day with events and the days of silence after it in which its power state still counts (7 unless set
 * otherwise). The window of each further pass ends later, so that events which keep landing on early days do not hold up
 * what is due on later ones.
 */
const WINDOW_DAYS = 10

/** How far the last rollup may lie in the future before we conclude that the clock was set back. */
const CLOCK_TOLERANCE_MS = millisecondsInMinute

/** Returns the latest instant of a last rollup that is no sign of a clock set back: two processes differ a little. */
export const aheadOf = (now: number): number => now + CLOCK_TOLERANCE_MS

/** The work that is due for one device in a pass. */
export interface Due {
  /** At least one. */
  spans: InclusiveSpan[]
  /** Something besides new events and the passing of time makes days due: they are computed from all of their events. */
  afresh: boolean
  /** A placement changed, so the device's days may have other bounds than the stored ones. */
  moved: boolean
  /** Stored days to compute again. */
  rows: StoredRow[]
  /** Why they are due; empty for days that only continue or close. */
  causes: Set<Cause>
}

/** A stored rollup to compute again. `day` is its local day (epoch day); no `cause` if it only continues or closes. */
export interface StoredRow {
  device: number
  day: number
  rollup: DeviceDay
  cause?: Cause
}

export interface PlanRequest extends RollupRequest {
  /** The last rollup was as of an instant that is still in the future: the clock has been set back since. */
  isAhead: boolean
  /** What earlier passes found damaged, which this pass leaves out; it adds the damage that it finds. */
  damaged: DamagedDevices
  /** Receives the events of the due segments. */
  memory: RollupMemory
  /** End of the window of the pass before (epoch ms), -Infinity if there was none. */
  windowFrom: number
}

/** The work of one pass over a shard. */
export class DuePlan {
  /** By device number. */
  readonly due = new Map<number, Due>()
  /** Due entries of devices that have been heard. */
  readonly #entries: { id: number; device: number }[] = []
  /** What the due segments contain for each device. */
  readonly seen: SeenEvents
  /** Epoch ms; days that are due from here on are left to a later pass. */
  readonly windowEnd: number
  /** Whether something that is due lies after the window. */
  isPartial = false
  /** Epoch ms; raw events before it are deleted, so no day that starts earlier is computed. */
  readonly purgedBefore: number

  /** Whether all due days are computed from all of their events. */
  readonly #afresh: boolean

  private constructor(windowEnd: number, purgedBefore: number, shards: number, afresh: boolean) {
    this.seen = new SeenEvents(shards)
    this.windowEnd = windowEnd
    this.purgedBefore = purgedBefore
    this.#afresh = afresh
  }

  /** Returns the plan, or null if nothing is due. Notes in `commit` the due entries that the pass clears and leaves. */
  static async make(stores: StoreView, commit: RollupCommit, request: PlanRequest): Promise<DuePlan | null> {
    const { damaged } = request
    const segments = (await stores.due.segments(commit.shard)).filter(({ id }) => !damaged.segments.has(id))
    const due = (await stores.due.devices(commit.shard)).filter(({ device }) => !damaged.devices.has(device))
    const purgedBefore = await stores.archive.purgedBefore()
    const rows = (await rowsToRepeat(stores, commit.shard, request)).filter(
      ({ device, rollup }) => rollup.startAt >= purgedBefore && !damaged.devices.has(device),
    )
    const states = await stores.rollups.states([...new Set(due.map(({ device }) => device))], (device) =>
      damaged.add(device, damagedState(device)),
    )
    const entries = due.filter(({ device }) => !damaged.devices.has(device))
    if (segments.length === 0 && entries.length === 0 && rows.length === 0) return null
    const heardFrom = heardSince(entries, states)
    const starts = entries.flatMap((entry) => {
      const from = heardFrom.get(entry.device)
      return from === undefined ? [] : [{ ...entry, fromAt: Math.max(entry.fromAt, from, purgedBefore) }]
    })
    const utcDays = [
      ...segments.slice(0, 1).map(({ utcDay }) => utcDay),
      ...starts.map(({ fromAt }) => utcDayOf(fromAt)),
      ...rows.map(({ rollup }) => utcDayOf(rollup.startAt)),
    ]
    const earliest = utcDays.reduce((least, utcDay) => Math.min(least, utcDay), Infinity)
    const plan = new DuePlan(
      Math.max(earliest * millisecondsInDay, request.windowFrom) + WINDOW_DAYS * millisecondsInDay,
      purgedBefore,
      stores.archive.shards,
      request.isAhead,
    )
    await plan.#addSegments(stores, commit, segments, request)
    const later = new Set<number>()
    for (const { id, device, fromAt, toAt, causes } of starts) {
      plan.#entries.push({ id, device })
      if (fromAt >= plan.windowEnd) later.add(id)
      else plan.#add(device, { from: fromAt, to: toAt }, causes.filter(isCause)).afresh = true
    }
    if (later.size > 0) plan.isPartial = true
    commit.doneDevices = entries.map(({ id }) => id).filter((id) => !later.has(id))
    for (const row of rows) plan.#addRow(commit, row)
    return plan
  }

  /**
   * Returns what must stay due if these devices cannot be computed: the ids of their entries, and new entries for their
   * events in segments, because the segments themselves are marked as done.
   */
  leave(devices: ReadonlySet<number>): { entries: Set<number>; due: FurtherDue[] } {
    const entries = this.#entries.filter(({ device }) => devices.has(device)).map(({ id }) => id)
    const due = [...devices].flatMap((device) => {
      const spans = this.seen.devices.get(device)?.spans ?? []
      return spans.map(({ from, to }): FurtherDue => ({ device, fromAt: from, toAt: to, causes: ['late-events'] }))
    })
    return { entries: new Set(entries), due }
  }

  async #addSegments(
    { archive }: StoreView,
    commit: RollupCommit,
    segments: readonly DueSegment[],
    { damaged, memory }: PlanRequest,
  ): Promise<void> {
    const within = segments.filter(({ utcDay }) => utcDay * millisecondsInDay < this.windowEnd)
    if (within.length < segments.length) this.isPartial = true
    const done: number[] = []
    const onDamaged = (id: number, error: unknown): void => {
      damaged.note(error)
      damaged.segments.add(id)
    }
    for await (const [{ id, utcDay }, columns] of readSegments(archive, commit.shard, within, {
      onDamaged,
      arena: memory.passing,
    })) {
      this.seen.add(columns, utcDay)
      memory.keep(id, columns)
      done.push(id)
    }
    commit.doneSegments = done
    for (const [device, { spans }] of this.seen.devices)
      for (const span of spans) this.#add(device, span, ['late-events'])
  }

  #addRow(commit: RollupCommit, row: StoredRow): void {
    const { device, rollup, cause } = row
    const causes = cause === undefined ? [] : [cause]
    const span = { from: rollup.startAt, to: rollup.startAt }
    if (span.from >= this.windowEnd) {
      commit.furtherDue.push({ device, fromAt: span.from, toAt: span.to, causes })
      return
    }
    const due = this.#add(device, span, causes)
    due.rows.push(row)
    due.afresh ||= cause !== undefined
  }

  #add(device: number, { from, to }: InclusiveSpan, causes: readonly Cause[]): Due {
    let due = this.due.get(device)
    if (!due) {
      due = { spans: [], afresh: this.#afresh, moved: false, rows: [], causes: new Set() }
      this.due.set(device, due)
    }
    for (const cause of causes) due.causes.add(cause)
    if (to === END_OF_TIME) due.moved = true
    due.spans.push({ from, to: to === END_OF_TIME ? from : to })
    return due
  }
}

/**
 * Returns for each device the instant (epoch ms) from which days may be due: when it was first heard, or the start of
 * its erased events if earlier. Devices that were never heard are absent.
 */
function heardSince(entries: readonly DueDevice[], states: ReadonlyMap<number, DeviceState>): Map<number, number> {
  const since = new Map([...states].map(([device, { firstHeardAt }]) => [device, firstHeardAt]))
  for (const { device, fromAt, toAt, causes } of entries) {
    if (toAt < END_OF_TIME && causes.includes('erased'))
      since.set(device, Math.min(fromAt, since.get(device) ?? Infinity))
  }
  return since
}

/**
 * Returns the stored days to recompute. These are the open days that have closed by now (all open days for a `refresh`),
 * the days that the request names, and the days that were settled too early because the clock was ahead.
 */
async function rowsToRepeat({ rollups }: StoreView, shard: number, request: PlanRequest): Promise<StoredRow[]> {
  const { now, refresh, days, isAhead, damaged } = request
  const rowsOf = (rows: readonly BlockRow[], cause?: Cause): StoredRow[] =>
    rows.flatMap((row) => storedRows(row, { shard, shards: rollups.shards, cause, damaged }))
  const until = refresh ? Infinity : now
  const open = rowsOf(await rollups.openBlocks(shard, until))
  const closing = open.filter(({ rollup }) => isOpen(rollup) && closingOf(rollup) <= until)
  const asked = days === undefined ? [] : rowsOf(await rollups.blocksOfShard(shard, days.from, days.to), 'manual')
  if (!isAhead) return [...closing, ...asked]
  // The clock was set back: days that were settled ahead of time are not over yet.
  const ahead = rowsOf(await rollups.blocksOfShard(shard, utcDayOf(now) - 2, Infinity), 'clock')
  return [...closing, ...asked, ...ahead]
}

interface RowsContext {
  shard: number
  shards: number
  cause: Cause | undefined
  damaged: DamagedDevices
}

/** Returns the stored days of a block row; none if the row is damaged, which stays as it is. */
function storedRows({ block, day, body }: BlockRow, { shard, shards, cause, damaged }: RowsContext): StoredRow[] {
  const deviceOf = (slot: number): number => deviceAt({ shard, block, slot }, shards)
  const causes = cause === undefined ? {} : { cause }
  try {
    return decodeBlock(body, [shard, block, day]).flatMap((rollup, slot) =>
      rollup === null ? [] : [{ device: deviceOf(slot), day, rollup, ...causes }],
    )
  } catch (error) {
    damaged.note(error)
    return []
  }
}
