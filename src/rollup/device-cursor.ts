import { millisecondsInDay } from '../base/time.ts'
import { placementAt } from '../event/placement.ts'
import { type DeviceDay, Power, sameCarriedState } from '../store/device-day.ts'
import { isOpen } from '../store/rollup-store.ts'
import { firstAfterKept, firstWholeDay, gapBefore } from './after-purged.ts'
import type { CursorContext, CursorOutput, Span } from './cursor-context.ts'
import type { DayEvents } from './day-events.ts'
import { DeviceFold } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import { FURTHEST_DATES, type LocalDay } from './local-day.ts'
import { type StoredDay, storedBefore } from './stored-rollups.ts'

/**
 * Takes one device through its days, from the first that is due on, until what follows is known to be unaffected:
 *
 *     events of a UTC day --fold--> day ends? --finishDay--> put --> go on with the next day, or done
 */
export class DeviceCursor {
  readonly #context: CursorContext
  readonly #output: CursorOutput
  readonly #fold: DeviceFold
  #day: LocalDay
  /**
   * Whether the day has a rollup even without events: the power state carried into it counts, or a gap before it has
   * events, whose state no other day would carry on.
   */
  #isNeeded = false
  /** Spans of events that must be in days computed anew: those that are due, and stored days that were cleared. */
  readonly #spans: Span[]
  /** The span under way is no day, but a gap after what was deleted. */
  #gap = false
  done = false
  /** The day under way as it ended, while something has to be read before the cursor can go on. */
  #ended: DeviceDay | null = null
  /** How many of the events of a UTC day have been taken, while something has to be read before the rest. */
  #taken = 0

  private constructor(context: CursorContext, output: CursorOutput, day: LocalDay) {
    this.#context = context
    this.#output = output
    this.#day = day
    this.#spans = [...context.due]
    this.#fold = new DeviceFold(context.settings, context.now, positionFinder(context))
  }

  /** A cursor at the start of the first day that is due, with the state carried out of the last stored day before. */
  static async start(context: CursorContext, output: CursorOutput, isNew: boolean): Promise<DeviceCursor> {
    const cursor = new DeviceCursor(context, output, firstWholeDay(context, context.due[0].from))
    if (!isNew) cursor.#day = await output.stored.found(() => cursor.#firstAfterKept())
    if (!isNew && context.moved) await cursor.#clearStored()
    const before = isNew ? null : await output.stored.found(() => cursor.#storedBefore(cursor.#day))
    cursor.#fold.resume(before?.rollup ?? null)
    const gap = gapBefore(context, cursor.#day, before)
    cursor.#gap = gap !== null
    cursor.#day = gap ?? cursor.#day
    cursor.#startDay(before?.rollup ?? null)
    return cursor
  }

  /** First instant of the day under way, epoch ms. */
  get at(): number {
    return this.#day.start
  }

  /**
   * Where a placement changed, the days of before may have had other bounds and other dates: all of them are cleared
   * first, and the cursor goes on until whatever was in them has a day again. Days of an earlier date that end before
   * the first one stay.
   */
  async #clearStored(): Promise<void> {
    const { device } = this.#context
    for (let day = this.#day.day - FURTHEST_DATES; ; ) {
      const from = day
      const stored = await this.#output.stored.found(() => this.#output.stored.next(device, from, 1))
      if (stored === null) break
      const { startAt, lengthMs, events } = stored.rollup
      day = stored.day
      if (startAt + lengthMs <= this.#day.start && day < this.#day.day) continue
      this.#output.put({ device, day, rollup: null, old: stored.rollup, closesAt: Infinity })
      if (events > 0) this.#spans.push({ from: startAt, to: startAt + lengthMs - 1 })
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
  }

  #isAlive(before: DeviceDay, instant: number): boolean {
    return isAlive(before, instant, this.#context.settings.silenceLimitMs)
  }

  /**
   * Folds the device's events of one UTC day, `order[from]` up to before `order[to]`. Gives null when that is done; a
   * promise where something has to be read first: then it is to be called again.
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
        index++ // Of a day before the first one due, or of one that the cursor has passed over.
      } else {
        const start = index
        while (index < to && midnight + at[order[index]] < this.#day.end) index++
        this.#fold.fold(events, start, index, from, midnight)
      }
    }
    this.#taken = 0
    return null
  }

  /** Ends all days that end by an instant: no event before it follows any more. As `take` where something has to be read. */
  advanceTo(instant: number): Promise<void> | null {
    while (!this.done && this.#day.end <= instant) if (!this.#endDay()) return this.#output.stored.load()
    return null
  }

  /** Ends the day and goes on to the next one to compute; false where something has to be read before. */
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
    // Past days without change the state is that of the last one stored.
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
    const counts = rollup.events > 0 || this.#isNeeded
    if (!counts && old === null) return
    const { day, closesAt } = this.#day
    this.#output.put({ device: this.#context.device, day, rollup: counts ? rollup : null, old, closesAt })
  }

  /** Goes on with a day, from the state carried out of `before`; `ended` is the day just ended. */
  #goTo(day: LocalDay, ended: DeviceDay, before: DeviceDay | null): void {
    this.#ended = null
    this.#day = day
    if (before !== ended) this.#fold.resume(before)
    this.#startDay(before)
  }

  /** Where a changed state has to be taken up next: on the following day, or later where nothing happens before. */
  #nextStart(rollup: DeviceDay, following: LocalDay, span: Span | undefined): number | null | undefined {
    const { device, moved, now } = this.#context
    if (following.start <= now && this.#isAlive(rollup, following.start)) return following.start
    // Of a moved device all stored days were cleared.
    const stored = moved ? null : this.#output.stored.next(device, this.#day.day, 1)
    if (stored === undefined) return undefined
    const starts = [span?.from, stored?.rollup.startAt].filter((start) => start !== undefined)
    return starts.length === 0 ? null : Math.max(following.start, Math.min(...starts))
  }
}

/** Whether a carried power state still counts at an instant (RULES.md 3, silence). */
export const isAlive = ({ power, lastHeardAt }: DeviceDay, instant: number, silenceLimitMs: number): boolean =>
  power !== Power.unknown && lastHeardAt + silenceLimitMs > instant

/** Where the device is meant to stand, for instants that never decrease. */
export function positionFinder({
  placements,
  standIn,
}: Pick<CursorContext, 'placements' | 'standIn'>): (at: number) => Position | null {
  if (placements.length === 0) return () => standIn
  if (placements.length === 1) return () => placements[0]
  return (at) => placementAt(placements, at) ?? null
}
