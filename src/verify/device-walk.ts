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

/** The inputs from which a device's days are computed, in addition to its events. */
export interface WalkContext {
  calendar: Calendar
  placements: readonly Placement[]
  /** The device's earliest fix, used if it has no placement; null if the walk itself starts early enough to find it. */
  standIn: Position | null
  settings: FoldSettings
  /** The last local day (epoch day) to compute. */
  to: number
}

/** The first day of a walk, and the last stored rollup before that day. Instants in epoch ms. */
export interface WalkBegin {
  day: LocalDay
  before: DeviceDay | null
  /** The instant as of which the stored days before this day were rolled up. */
  asOfBefore: number
  /** Events from here to the day's start count in no figure, but the state that they leave is carried into the day. */
  gapFrom: number
}

/** Answers a walk's questions about the stored rollups, and receives its results. */
export interface WalkOutput {
  comparable(day: LocalDay): ComparableDay
  isStored(day: LocalDay): boolean
  /** `isNeeded` is false for a day that may be stored but need not be. */
  put(day: LocalDay, rollup: DeviceDay, isNeeded: boolean): void
}

/**
 * Computes the days of one device from its events, one after the other. The walk carries the state from day to day
 * itself; from the stored rollups it takes only the instants as of which open days were rolled up. The rollup's
 * cursor reaches the same days differently: it starts at the due days and ends where nothing changes any more.
 */
export class DeviceWalk {
  readonly #context: WalkContext
  readonly #output: WalkOutput
  readonly #meantAt: (at: number) => Position | null
  #standIn: Position | null
  #fold: DeviceFold | null = null
  #asOf = 0
  /** The day under way; null if no day is under way until the next event. */
  #day: LocalDay | null = null
  #isNeeded = true
  /** Whether the walk is in the gap before the first day, rather than in a day. */
  #isGap = false
  readonly #begin: WalkBegin | null
  /** The next day on which the power state still counts, if it has no event so far and need not be stored; or null. */
  #ahead: LocalDay | null = null
  /** The end of the last day, or the instant at which the walk begins; earlier events are skipped. */
  #doneTo: number
  #before: DeviceDay | null
  /** Whether the day under way has a rollup even without events. */
  #carriesIn = false
  /** Whether all requested days have been computed. */
  done = false

  /** @param begin null to walk from the device's first event on; else `output` must have loaded the rows of its day. */
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

  /** Starts the day after the gap. If the gap had events, that day has a rollup even without events of its own. */
  #leaveGap({ day, asOfBefore }: WalkBegin, isHeard: boolean): void {
    this.#isGap = false
    this.#doneTo = day.start
    if (isHeard) this.#carriesIn = this.#startDay(day, true) !== null
    else if (this.#before !== null) this.#goOn(this.#before, day, asOfBefore)
  }

  /** Ends the walk where it is. The day under way is not put into the output. */
  stop(): void {
    this.done = true
    this.#day = null
    this.#ahead = null
  }

  /** Whether the walk may still produce days without any further event. */
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

  /** Ends all days that end by an instant; no earlier event may be taken after this. */
  advanceTo(instant: number): void {
    for (;;) {
      if (this.#day !== null && this.#day.end <= instant) this.#endDay(this.#day)
      else if (this.#ahead !== null && this.#ahead.end <= instant) this.#passOver(this.#ahead)
      else return
    }
  }

  /** Starts a day and returns it; returns null and ends the walk if the day is after the last requested one. */
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
   * Goes on with the following day if the power state still counts on it. Such a day has a rollup even without events,
   * from the first rollup after it began; it may have been stored earlier if the clock was set back.
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

  /** Takes the first fix as the stand-in position. Events come in order, so it is the device's earliest fix. */
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
