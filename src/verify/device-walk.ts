import { millisecondsInDay } from '../base/time.ts'
import { Kind } from '../event/event-columns.ts'
import type { Placement } from '../event/placement.ts'
import type { DayEvents } from '../rollup/day-events.ts'
import { isAlive, positionFinder } from '../rollup/device-cursor.ts'
import { DeviceFold, type FoldSettings } from '../rollup/device-fold.ts'
import type { Position } from '../rollup/figures/distance.ts'
import type { Calendar, LocalDay } from '../rollup/local-day.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { ComparableDay } from './stored-as-of.ts'

/** What a device's days are computed from beside its events. */
export interface WalkContext {
  calendar: Calendar
  placements: readonly Placement[]
  /** Stands in where there is no placement; null where the first fix that the walk comes to is the device's earliest. */
  standIn: Position | null
  settings: FoldSettings
  /** The last local day (epoch day) that is asked for. */
  to: number
}

/** The first day of a walk, and what is stored of the last one before it. Instants in epoch ms. */
export interface WalkBegin {
  day: LocalDay
  before: DeviceDay | null
  /** Up to when what is stored before the day was rolled up. */
  asOfBefore: number
  /** Events between this instant and the day's start count in no figure, but the state they leave is carried into the day. */
  gapFrom: number
}

/** What a walk needs to know of what is stored, and where its results go. */
export interface WalkOutput {
  comparable(day: LocalDay): ComparableDay
  isStored(day: LocalDay): boolean
  /** `isNeeded` is false for a day that need not be stored, but may be where it is. */
  put(day: LocalDay, rollup: DeviceDay, isNeeded: boolean): void
}

/**
 * Computes the days of one device from its events, one after the other, from what the walk itself carries from day to
 * day: of what is stored it takes only the instants as of which days under way were rolled up. The rollup's cursor goes
 * another way to the same days: from what is due, as far as something changes.
 */
export class DeviceWalk {
  readonly #context: WalkContext
  readonly #output: WalkOutput
  readonly #meantAt: (at: number) => Position | null
  #standIn: Position | null
  #fold: DeviceFold | null = null
  #asOf = 0
  /** The day under way; null where none is until the next event. */
  #day: LocalDay | null = null
  #isNeeded = true
  /** What is under way is no day, but the gap before the first one. */
  #isGap = false
  readonly #begin: WalkBegin | null
  /** The next day without an event on which the power state counts, where it need not be stored; null where none is. */
  #ahead: LocalDay | null = null
  /** The end of the last day, or where the walk begins; events before it are none of its days. */
  #doneTo: number
  #before: DeviceDay | null
  /** Whether the day under way has a rollup even without events. */
  #carriesIn = false
  /** All days that are asked for have been computed. */
  done = false

  /** @param begin null for a walk from the device's first event on; else the rows of its day must be known to `output`. */
  constructor(context: WalkContext, output: WalkOutput, begin: WalkBegin | null) {
    const { placements, standIn } = context
    this.#context = context
    this.#output = output
    this.#standIn = standIn
    this.#meantAt = placements.length === 0 ? () => this.#standIn : positionFinder({ placements, standIn })
    this.#begin = begin
    this.#doneTo = -Infinity
    this.#before = null
    if (begin === null) return
    this.#doneTo = Math.min(begin.gapFrom, begin.day.start)
    this.#before = begin.before
    if (begin.gapFrom < begin.day.start) this.#enterGap(begin)
    else this.#leaveGap(begin, false)
  }

  #enterGap({ day: { day, start: end }, before, gapFrom: start }: WalkBegin): void {
    this.#isGap = true
    this.#fold = new DeviceFold(this.#context.settings, Infinity, this.#meantAt)
    this.#fold.resume(before)
    this.#asOf = Infinity
    this.#day = { day: day - 1, start, end, daytimeStart: start, daytimeEnd: start, closesAt: end }
    this.#fold.startDay(this.#day)
  }

  /** What happened in the gap is carried on by the day after it, be it without events. */
  #leaveGap({ day, asOfBefore }: WalkBegin, isHeard: boolean): void {
    this.#isGap = false
    this.#doneTo = day.start
    if (isHeard) this.#carriesIn = this.#startDay(day, true) !== null
    else if (this.#before !== null) this.#goOn(this.#before, day, asOfBefore)
  }

  /** Ends the walk where it is: the day under way is not told. */
  stop(): void {
    this.done = true
    this.#day = null
    this.#ahead = null
  }

  /** Whether there may be days without any further event. */
  get isUnderWay(): boolean {
    return this.#day !== null || this.#ahead !== null
  }

  /** Folds the device's events of one UTC day, `order[from]` up to before `order[to]`. */
  take(events: DayEvents, from: number, to: number, utcDay: number): void {
    const midnight = utcDay * millisecondsInDay
    const instantOf = (index: number): number => midnight + events.at[events.order[index]]
    let index = from
    while (index < to && !this.done) {
      const at = instantOf(index)
      if (this.#day !== null && at >= this.#day.end) {
        this.#endDay(this.#day)
      } else if (at < this.#doneTo) {
        index++
      } else {
        const day = this.#day ?? this.#startDay(this.#context.calendar.dayAt(at), true)
        if (day === null) return
        const start = index
        while (index < to && instantOf(index) < day.end) index++
        this.#findStandIn(events, start, index)
        this.#fold?.fold(events, start, index, from, midnight)
      }
    }
  }

  /** Ends all days that end by an instant: no event before it follows any more. */
  advanceTo(instant: number): void {
    for (;;) {
      if (this.#day !== null && this.#day.end <= instant) this.#endDay(this.#day)
      else if (this.#ahead !== null && this.#ahead.end <= instant) this.#passOver(this.#ahead)
      else return
    }
  }

  /** Null where the day is beyond those that are asked for. */
  #startDay(day: LocalDay, isNeeded: boolean): LocalDay | null {
    this.#ahead = null
    if (day.day > this.#context.to) {
      this.done = true
      return null
    }
    const { settings } = this.#context
    const before = this.#before
    const { asOf, closesAt } = this.#output.comparable(day)
    if (this.#fold === null || asOf !== this.#asOf) {
      this.#fold = new DeviceFold(settings, asOf, this.#meantAt)
      this.#fold.resume(before)
      this.#asOf = asOf
    }
    this.#carriesIn = before !== null && isAlive(before, day.start, settings.silenceLimitMs)
    this.#fold.startDay(closesAt === day.closesAt ? day : { ...day, closesAt })
    this.#day = day
    this.#isNeeded = isNeeded
    return day
  }

  #endDay(day: LocalDay): void {
    const rollup = (this.#fold as DeviceFold).finishDay()
    this.#before = rollup
    this.#day = null
    if (this.#isGap) {
      this.#leaveGap(this.#begin as WalkBegin, rollup.events > 0)
      return
    }
    if (rollup.events > 0 || this.#carriesIn) this.#output.put(day, rollup, this.#isNeeded || rollup.events > 0)
    this.#doneTo = day.end
    this.#goOn(rollup, this.#context.calendar.dayAt(day.end), this.#asOf)
  }

  /**
   * A day without events has a rollup where the power state still counts, from the rollup on that saw it begin. A clock
   * that was set back may leave it stored before that.
   */
  #goOn(before: DeviceDay, following: LocalDay, asOf: number): void {
    if (!isAlive(before, following.start, this.#context.settings.silenceLimitMs)) return
    if (asOf >= following.start) this.#startDay(following, true)
    else if (this.#output.isStored(following)) this.#startDay(following, false)
    else this.#ahead = following
  }

  #passOver(day: LocalDay): void {
    this.#ahead = null
    this.#doneTo = day.end
    if (day.day >= this.#context.to) this.done = true
    else if (this.#before !== null) this.#goOn(this.#before, this.#context.calendar.dayAt(day.end), -Infinity)
  }

  /** Events come in their order: the first fix of all is the earliest. */
  #findStandIn(events: DayEvents, from: number, to: number): void {
    if (this.#standIn !== null || this.#context.placements.length > 0) return
    for (let index = from; index < to; index++) {
      const row = events.order[index]
      if (events.kind[row] !== Kind.fix) continue
      this.#standIn = { lat: events.a[row], lon: events.b[row] }
      return
    }
  }
}
