import { millisecondsInDay } from '../base/time.ts'
import { placementAt } from '../event/placement.ts'
import { type DeviceDay, isOpen, Power, sameCarriedState } from '../store/device-day.ts'
import { firstAfterKept, firstWholeDay, gapBefore, mayFollowGap } from './after-purged.ts'
import type { CursorContext, CursorOutput, InclusiveSpan } from './cursor-context.ts'
import type { DayEvents } from './day-events.ts'
import { canResume, DeviceFold } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import { FURTHEST_DATES, type LocalDay } from './local-day.ts'
import { fits, type StoredDay, storedBefore } from './stored-rollups.ts'

const NONE: ReadonlyMap<number, DeviceDay> = new Map()

/**
 * Takes one device through its days, from the first due day until the days that follow are known to be unaffected:
 *
 *     events of a UTC day --fold--> day ends? --finishDay--> put --> go on with the next day, or done
 */
export class DeviceCursor {
  readonly #context: CursorContext
  readonly #output: CursorOutput
  readonly #fold: DeviceFold
  #day: LocalDay
  /**
   * Whether the day gets a rollup even without events: the power state carried into it counts, or the gap before it has
   * events whose state no other day would carry on.
   */
  #isNeeded = false
  /** Whether the day follows purged ones. They never close again, so no later rollup would go on from them to this day. */
  #followsKept = false
  /** Spans whose events must be in recomputed days: due ones, those of cleared days, and of a gap before them. */
  readonly #spans: InclusiveSpan[]
  /** Stored days that are computed from their rollups and from new events; null if the days need all of their events. */
  #resumed: ReadonlyMap<number, DeviceDay> | null = null
  /** Whether the current span is a gap after deleted events instead of a day. */
  #gap = false
  done = false
  /** The finished rollup of the current day, while the cursor waits for a read before it can go on. */
  #ended: DeviceDay | null = null
  /** Index of the next event to take of a UTC day, while the cursor waits for a read; else 0. */
  #taken = 0

  private constructor(context: CursorContext, output: CursorOutput, day: LocalDay) {
    this.#context = context
    this.#output = output
    this.#day = day
    this.#spans = [...context.due]
    this.#fold = new DeviceFold(context.settings, context.now, positionFinder(context))
  }

  /** Returns a cursor at the start of the first due day, with the state carried from the last stored day before it. */
  static async start(context: CursorContext, output: CursorOutput, isNew: boolean): Promise<DeviceCursor> {
    const cursor = new DeviceCursor(context, output, firstWholeDay(context, context.due[0].from))
    if (!isNew) cursor.#day = await output.stored.found(() => cursor.#firstAfterKept())
    if (!isNew && context.moved) await cursor.#clearStored()
    const before = isNew ? null : await output.stored.found(() => cursor.#storedBefore(cursor.#day))
    cursor.#fold.resume(before?.rollup ?? null)
    const gap = gapBefore(context, cursor.#day, before)
    cursor.#gap = gap !== null
    cursor.#followsKept = gap !== null || (before !== null && before.rollup.startAt < context.purgedBefore)
    if (gap === null) cursor.#resumed = isNew ? NONE : await cursor.#resumable()
    cursor.#day = gap ?? cursor.#day
    cursor.#startDay(before?.rollup ?? null)
    return cursor
  }

  /** First instant of the current day, epoch ms. */
  get at(): number {
    return this.#day.start
  }

  /** Whether the cursor must be given all events of its days; otherwise it must be given only those that are due. */
  get needsAllEvents(): boolean {
    return this.#resumed === null
  }

  /**
   * Returns the stored days with events, from the first due day on; null if the fold cannot resume each of them, which
   * takes that all new events are later than theirs.
   */
  async #resumable(): Promise<ReadonlyMap<number, DeviceDay> | null> {
    const { device, calendar, newFrom, moved } = this.#context
    if (moved || newFrom === -Infinity) return null
    const days = new Map<number, DeviceDay>()
    for (let last = this.#day.day - 1; ; ) {
      const before = last
      const stored = await this.#output.stored.found(() => this.#output.stored.next(device, before, 1))
      if (stored === null) return days
      last = stored.day
      if (stored.rollup.lastHeardAt >= newFrom) return null
      if (stored.rollup.events === 0) continue
      if (!canResume(stored.rollup) || !fits(calendar, stored)) return null
      days.set(stored.day, stored.rollup)
    }
  }

  /**
   * Clears the stored days of a device whose placement changed, because they may have other bounds and dates than the
   * new days. Days of an earlier date that end by the start of the first due day stay. The cursor goes on until all
   * events of cleared days, and of a gap before them, are in a day again.
   */
  async #clearStored(): Promise<void> {
    const { device, purgedBefore } = this.#context
    for (let day = this.#day.day - FURTHEST_DATES; ; ) {
      const last = day
      const stored = await this.#output.stored.found(() => this.#output.stored.next(device, last, 1))
      if (stored === null) break
      const { startAt, lengthMs, lastHeardAt } = stored.rollup
      day = stored.day
      if (startAt + lengthMs <= this.#day.start && day < this.#day.day) continue
      this.#output.put({ device, day, rollup: null, old: stored.rollup, closesAt: Infinity })
      const from = mayFollowGap(startAt, purgedBefore) ? purgedBefore : startAt
      if (from <= lastHeardAt) this.#spans.push({ from, to: lastHeardAt })
    }
    this.#spans.sort((one, other) => one.from - other.from)
  }

  #previous(day: number): StoredDay | null | undefined {
    return this.#output.stored.next(this.#context.device, day, -1)
  }

  #firstAfterKept(): LocalDay | undefined {
    return firstAfterKept(this.#context, this.#day, (day) => this.#previous(day))
  }

  #storedBefore(day: LocalDay): StoredDay | null | undefined {
    return storedBefore((before) => this.#previous(before), day)
  }

  #startDay(before: DeviceDay | null): void {
    this.#isNeeded = before !== null && this.#isAlive(before, this.#day.start)
    this.#fold.startDay(this.#day)
    const stored = this.#resumed?.get(this.#day.day)
    if (stored !== undefined) this.#fold.resumeDay(stored)
  }

  #isAlive(before: DeviceDay, instant: number): boolean {
    return isAlive(before, instant, this.#context.settings.silenceLimitMs)
  }

  /**
   * Folds the device's events of one UTC day, `order[from]` to `order[to - 1]`. Returns null when done, or a promise if
   * something must be read first: then await it and call again.
   */
  take(events: DayEvents, from: number, to: number, utcDay: number): Promise<void> | null {
    const midnight = utcDay * millisecondsInDay
    const { at, order } = events
    let index = Math.max(from, this.#taken)
    while (index < to && !this.done) {
      const instant = midnight + at[order[index]]
      if (instant >= this.#day.end) {
        this.#taken = index
        if (!this.#endDay()) return this.#output.stored.load()
      } else if (instant < this.#day.start) {
        index++ // The event lies before the first due day, or in a day that the cursor skipped.
      } else {
        const start = index
        while (index < to && midnight + at[order[index]] < this.#day.end) index++
        this.#fold.fold(events, start, index, from, midnight)
      }
    }
    this.#taken = 0
    return null
  }

  /** Ends all days that end by an instant (epoch ms); no events before it may follow. Returns the same as `take`. */
  advanceTo(instant: number): Promise<void> | null {
    while (!this.done && this.#day.end <= instant) if (!this.#endDay()) return this.#output.stored.load()
    return null
  }

  /** Ends the day and goes on to the next one to compute; returns false if something must be read first. */
  #endDay(): boolean {
    const { device, calendar, windowEnd, moved } = this.#context
    const rollup = (this.#ended ??= this.#fold.finishDay())
    if (this.#gap) {
      this.#gap = false
      this.#goTo(calendar.dayAt(this.#day.end), rollup, rollup)
      this.#isNeeded ||= rollup.events > 0
      return true
    }
    const stored = this.#output.stored.on(device, this.#day.day)
    if (stored === undefined) return false
    const following = calendar.dayAt(this.#day.end)
    const span = this.#spans.find(({ to }) => to >= following.start)
    const unchanged = !moved && stored !== null && !isOpen(stored) && sameCarriedState(stored, rollup)
    const from = unchanged ? (span?.from ?? null) : this.#nextStart(rollup, following, span)
    if (from === undefined) return false
    const next = from === null || from < following.end ? following : calendar.dayAt(from)
    // If unchanged days are skipped, the state comes from the last stored day before `next`.
    const before = unchanged && next !== following ? this.#storedBefore(next) : { rollup }
    if (before === undefined) return false
    this.#put(rollup, stored)
    if (from === null) {
      this.done = true
    } else if (from >= windowEnd) {
      this.#output.stillDue(device, from)
      this.done = true
    } else {
      this.#goTo(next, rollup, before?.rollup ?? null)
    }
    return true
  }

  #put(rollup: DeviceDay, old: DeviceDay | null): void {
    const { day, start, closesAt } = this.#day
    // A day without events gets no rollup before it begins: the day before it goes on to it when it closes. If a wrong
    // clock made one, it stays, to be computed in time.
    const isDue = old !== null || this.#followsKept || start <= this.#context.now
    const counts = rollup.events > 0 || (this.#isNeeded && isDue)
    this.#followsKept = false
    if (!counts && old === null) return
    this.#output.put({ device: this.#context.device, day, rollup: counts ? rollup : null, old, closesAt })
  }

  /** Starts a day with the state carried from `before`; `ended` is the day just ended. */
  #goTo(day: LocalDay, ended: DeviceDay, before: DeviceDay | null): void {
    this.#ended = null
    this.#day = day
    if (before !== ended) this.#fold.resume(before)
    this.#startDay(before)
  }

  /** Returns from when (epoch ms) a changed state matters next; null if never, undefined if a read must come first. */
  #nextStart(rollup: DeviceDay, following: LocalDay, span: InclusiveSpan | undefined): number | null | undefined {
    const { device, moved, now } = this.#context
    if (following.start <= now && this.#isAlive(rollup, following.start)) return following.start
    // All stored days of a moved device were cleared.
    const stored = moved ? null : this.#output.stored.next(device, this.#day.day, 1)
    if (stored === undefined) return undefined
    const starts = [span?.from, stored?.rollup.startAt].filter((start) => start !== undefined)
    return starts.length === 0 ? null : Math.max(following.start, Math.min(...starts))
  }
}

/** Tells whether a carried power state still counts at an instant (RULES.md 3, silence). */
export const isAlive = ({ power, lastHeardAt }: DeviceDay, instant: number, silenceLimitMs: number): boolean =>
  power !== Power.unknown && lastHeardAt + silenceLimitMs > instant

/** Returns a function that tells where the device is meant to stand; pass it instants that never decrease. */
export function positionFinder({
  placements,
  standIn,
}: Pick<CursorContext, 'placements' | 'standIn'>): (at: number) => Position | null {
  if (placements.length === 0) return () => standIn
  if (placements.length === 1) return () => placements[0]
  return (at) => placementAt(placements, at) ?? null
}
