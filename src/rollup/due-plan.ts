import { millisecondsInDay, millisecondsInMinute, utcDayOf } from '../base/time.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import type { DeviceDay } from '../store/device-day.ts'
import { type DueDevice, END_OF_TIME } from '../store/due.ts'
import { readSegments } from '../store/read-segments.ts'
import { type Cause, isCause } from '../store/revision.ts'
import {
  type BlockRow,
  closingOf,
  type DeviceState,
  deviceAt,
  type FurtherDue,
  isOpen,
  type RollupCommit,
} from '../store/rollup-store.ts'
import { damagedState } from '../store/state-checksum.ts'
import type { StoreView } from '../store/view.ts'
import type { Span } from './cursor-context.ts'
import type { DamagedDevices } from './damaged-devices.ts'
import type { RollupRequest } from './rollup-request.ts'
import { SeenEvents } from './seen-events.ts'

/**
 * UTC days that one pass takes up at most: it bounds the memory of a pass after a long time without rollups. The days of
 * silence in which a power state still counts (7 unless set otherwise) fit in behind a day with events, whatever its zone.
 */
const WINDOW_DAYS = 10

/** By more than this a last rollup must be ahead of time before the clock is said to have been set back. */
const CLOCK_TOLERANCE_MS = millisecondsInMinute

/** Of two processes that roll up at once one is a little ahead of the other: that is no clock set back. */
export const aheadOf = (now: number): number => now + CLOCK_TOLERANCE_MS

/** What is due of one device in a pass. */
export interface Due {
  /** At least one. */
  spans: Span[]
  /** A placement changed: its days may have other bounds than those stored. */
  moved: boolean
  /** Stored days among what is due. */
  rows: StoredRow[]
  /** Why; empty for days that only go on or close. */
  causes: Set<Cause>
}

/** A stored rollup; `day` is its local day, an epoch day. `cause` is why it is due, unless it only goes on or closes. */
export interface StoredRow {
  device: number
  day: number
  rollup: DeviceDay
  cause?: Cause
}

export interface PlanRequest extends RollupRequest {
  /** The last rollup was of an instant that has not come yet: the clock was set back since. */
  isAhead: boolean
  /** What an earlier pass could not compute is left out; what this one finds damaged is added. */
  damaged: DamagedDevices
}

/** What one pass over a shard has to compute. */
export class DuePlan {
  /** By device number. */
  readonly due = new Map<number, Due>()
  /** The entries of devices that are taken up. */
  readonly #entries: { id: number; device: number }[] = []
  /** What the segments that are due tell. */
  readonly seen: SeenEvents
  /** Epoch ms: what is due from here on is left to a later pass. */
  readonly windowEnd: number
  /** Epoch ms: raw events before it are gone, so no day that starts before it is computed. */
  readonly purgedBefore: number

  private constructor(windowEnd: number, purgedBefore: number, shards: number) {
    this.seen = new SeenEvents(shards)
    this.windowEnd = windowEnd
    this.purgedBefore = purgedBefore
  }

  /** Null where nothing is due. What the pass clears, and what it leaves, is noted in `commit`. */
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
    const plan = new DuePlan((earliest + WINDOW_DAYS) * millisecondsInDay, purgedBefore, stores.archive.shards)
    await plan.#addSegments(stores, commit, segments, damaged)
    const later = new Set<number>()
    for (const { id, device, fromAt, toAt, causes } of starts) {
      plan.#entries.push({ id, device })
      if (fromAt >= plan.windowEnd) later.add(id)
      else plan.#add(device, { from: fromAt, to: toAt }, causes.filter(isCause))
    }
    commit.doneDevices = entries.map(({ id }) => id).filter((id) => !later.has(id))
    for (const row of rows) plan.#addRow(commit, row)
    return plan
  }

  /**
   * What must stay due where these devices cannot be computed: the ids of their entries, and new ones for what came with
   * segments, which are done.
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
    segments: readonly { id: number; utcDay: number }[],
    damaged: DamagedDevices,
  ): Promise<void> {
    const within = segments.filter(({ utcDay }) => utcDay * millisecondsInDay < this.windowEnd)
    const done: number[] = []
    const onDamaged = (id: number, error: unknown): void => {
      damaged.note(error)
      damaged.segments.add(id)
    }
    for await (const [{ id, utcDay }, columns] of readSegments(archive, within, onDamaged)) {
      this.seen.add(columns, utcDay)
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
    if (span.from < this.windowEnd) this.#add(device, span, causes).rows.push(row)
    else commit.furtherDue.push({ device, fromAt: span.from, toAt: span.to, causes })
  }

  #add(device: number, { from, to }: Span, causes: readonly Cause[]): Due {
    let due = this.due.get(device)
    if (!due) this.due.set(device, (due = { spans: [], moved: false, rows: [], causes: new Set() }))
    for (const cause of causes) due.causes.add(cause)
    if (to === END_OF_TIME) due.moved = true
    due.spans.push({ from, to: to === END_OF_TIME ? from : to })
    return due
  }
}

/**
 * From when on something may be due of each device (epoch ms): nothing is before it was first heard, erased events
 * included, and nothing at all of a device that never was.
 */
function heardSince(entries: readonly DueDevice[], states: ReadonlyMap<number, DeviceState>): Map<number, number> {
  const since = new Map([...states].map(([device, { firstHeardAt }]) => [device, firstHeardAt]))
  for (const { device, fromAt, toAt, causes } of entries) {
    if (toAt < END_OF_TIME && causes.includes('erased'))
      since.set(device, Math.min(fromAt, since.get(device) ?? Infinity))
  }
  return since
}

/** Stored days that are to be computed once more: closed by now, open (where refreshed), asked for, or of a wrong clock. */
async function rowsToRepeat({ rollups }: StoreView, shard: number, request: PlanRequest): Promise<StoredRow[]> {
  const { now, refresh, days, isAhead, damaged } = request
  const rowsOf = (rows: readonly BlockRow[], cause?: Cause): StoredRow[] =>
    rows.flatMap((row) => storedRows(row, { shard, shards: rollups.shards, cause, damaged }))
  const until = refresh ? Infinity : now
  const open = rowsOf(await rollups.openBlocks(shard, until))
  const closing = open.filter(({ rollup }) => isOpen(rollup) && closingOf(rollup) <= until)
  const asked = days === undefined ? [] : rowsOf(await rollups.blocksOfShard(shard, days.from, days.to), 'manual')
  if (!isAhead) return [...closing, ...asked]
  // The clock was set back: what was settled ahead of time is not over yet.
  const ahead = rowsOf(await rollups.blocksOfShard(shard, utcDayOf(now) - 2, Infinity), 'clock')
  return [...closing, ...asked, ...ahead]
}

interface RowsContext {
  shard: number
  shards: number
  cause: Cause | undefined
  damaged: DamagedDevices
}

/** None where the row is damaged: it stays as it is. */
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
