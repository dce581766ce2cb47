import { type Placement, placementAt } from '../raw/placement.ts'
import { END_OF_TIME } from '../raw/raw-store.ts'
import { type DeviceDay, Power, sameCarriedState } from '../summary/device-day.ts'
import { isOpen } from '../summary/report-store.ts'
import { millisecondsInDay } from '../time.ts'
import type { DayEvents } from './day-events.ts'
import { DeviceFold, type FoldSettings } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import type { Calendar, LocalDay } from './local-day.ts'
import type { StoredDay } from './stored-rollups.ts'

/** What a device's days need beside its events. */
export interface CursorContext {
  device: number
  calendar: Calendar
  placements: readonly Placement[]
  /** Stands in where there is no placement: the device's earliest fix. */
  standIn: Position | null
  settings: FoldSettings
  /** Instant of the rollup, epoch ms. */
  now: number
  /** A day that starts at or after this instant is left to a later pass. */
  windowEnd: number
  /** Until here (epoch ms) the days must be computed whatever comes out. */
  toAt: number
  /** The device has events that are not rolled up yet until here, epoch ms. */
  eventsTo: number
}

/** How a cursor reaches what is stored, and where its results go. */
export interface CursorOutput {
  stored(device: number, day: number): Promise<DeviceDay | null>
  nextStored(device: number, day: number, direction: -1 | 1): Promise<StoredDay | null>
  /** Null removes what is stored. */
  put(device: number, day: number, rollup: DeviceDay | null): void
  stillDue(device: number, fromAt: number, toAt: number): void
}

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
  /** Whether the power state carried into the day counts in it. */
  #entersAlive = false
  /** Spans of stored days that were cleared: the events in them must be in days computed anew. Ascending. */
  readonly #cleared: { from: number; to: number }[] = []
  done = false

  private constructor(context: CursorContext, output: CursorOutput, day: LocalDay) {
    this.#context = context
    this.#output = output
    this.#day = day
    this.#fold = new DeviceFold(context.settings, context.now, positionFinder(context))
  }

  /** A cursor at the start of the day that holds `fromAt`, with the state carried out of the last stored day before. */
  static async start(
    context: CursorContext,
    output: CursorOutput,
    fromAt: number,
    isNew: boolean,
  ): Promise<DeviceCursor> {
    const cursor = new DeviceCursor(context, output, context.calendar.dayAt(fromAt))
    if (!isNew && context.toAt === END_OF_TIME) await cursor.#clearStored()
    const before = isNew ? null : await cursor.#carriedIn()
    cursor.#fold.resume(before)
    cursor.#startDay(before)
    return cursor
  }

  get firstInstant(): number {
    return this.#day.start
  }

  /**
   * Where a placement changed, the days of before may have had other bounds and other dates: those that this pass
   * computes anew are cleared first, and it goes on until all that was in them has a day again.
   */
  async #clearStored(): Promise<void> {
    const { device, windowEnd } = this.#context
    for (let day = this.#day.day - FURTHEST_DATES; ; ) {
      const stored = await this.#output.nextStored(device, day, 1)
      if (stored === null || stored.rollup.startAt >= windowEnd) return
      const { startAt, lengthMs, events } = stored.rollup
      day = stored.day
      if (startAt + lengthMs <= this.#day.start) continue
      this.#output.put(device, day, null)
      if (events > 0) this.#cleared.push({ from: startAt, to: startAt + lengthMs })
    }
  }

  async #carriedIn(): Promise<DeviceDay | null> {
    for (let day = this.#day.day + FURTHEST_DATES; ; ) {
      const before = await this.#output.nextStored(this.#context.device, day, -1)
      if (before === null || before.rollup.startAt + before.rollup.lengthMs <= this.#day.start) return before?.rollup ?? null
      day = before.day
    }
  }

  #startDay(before: DeviceDay | null): void {
    this.#entersAlive = before !== null && this.#isAlive(before, this.#day.start)
    this.#fold.startDay(this.#day)
  }

  /** Whether a carried power state still counts at an instant (RULES.md 3, silence). */
  #isAlive({ power, lastHeardAt }: DeviceDay, instant: number): boolean {
    return power !== Power.unknown && lastHeardAt + this.#context.settings.silenceLimitMs > instant
  }

  /** Folds the device's events of one UTC day, `order[from]` up to before `order[to]`. */
  async take(events: DayEvents, from: number, to: number, utcDay: number): Promise<void> {
    const midnight = utcDay * millisecondsInDay
    const instantOf = (index: number): number => midnight + events.at[events.order[index]]
    let index = from
    while (index < to && instantOf(index) < this.#day.start) index++
    while (index < to && !this.done) {
      if (instantOf(index) >= this.#day.end) {
        await this.#endDay()
        continue
      }
      let until = index + 1
      while (until < to && instantOf(until) < this.#day.end) until++
      this.#fold.fold(events, index, until, from, midnight)
      index = until
    }
  }

  /** Ends all days that end by an instant: no event before it follows any more. */
  async advanceTo(instant: number): Promise<void> {
    while (!this.done && this.#day.end <= instant) await this.#endDay()
  }

  async #endDay(): Promise<void> {
    const { device, calendar, windowEnd, toAt } = this.#context
    const rollup = this.#fold.finishDay()
    const stored = await this.#output.stored(device, this.#day.day)
    const counts = rollup.events > 0 || this.#entersAlive
    if (counts || stored !== null) this.#output.put(device, this.#day.day, counts ? rollup : null)
    const next = await this.#nextDay(rollup, stored, calendar.dayAt(this.#day.end))
    if (next === null) {
      this.done = true
    } else if (next.start >= windowEnd && !this.#cleared.some(({ to }) => to > next.start)) {
      this.#output.stillDue(device, next.start, Math.max(toAt, next.start))
      this.done = true
    } else {
      this.#day = next
      this.#startDay(rollup)
    }
  }

  /** The day to go on with: the following one, a later one where nothing happens until then, or null. */
  async #nextDay(rollup: DeviceDay, stored: DeviceDay | null, following: LocalDay): Promise<LocalDay | null> {
    const { device, calendar, now, toAt, eventsTo } = this.#context
    if (following.start <= eventsTo) return following
    const unchanged = stored !== null && !isOpen(stored) && sameCarriedState(stored, rollup)
    if (unchanged && following.start > toAt) return null
    if (following.start <= now && this.#isAlive(rollup, following.start)) return following
    const cleared = this.#cleared.find(({ to }) => to > following.start)
    if (cleared !== undefined) return calendar.dayAt(Math.max(cleared.from, following.start))
    const from = await this.#nextStoredStart()
    if (from === null) return null
    if (from < following.end) return following
    this.#output.stillDue(device, from, Math.max(toAt, from))
    return null
  }

  /** First instant of the next stored day that was not cleared, or null. */
  async #nextStoredStart(): Promise<number | null> {
    const { device, windowEnd, toAt } = this.#context
    for (let day = this.#day.day; ; ) {
      const following = await this.#output.nextStored(device, day, 1)
      if (following === null) return null
      if (toAt !== END_OF_TIME || following.rollup.startAt >= windowEnd) return following.rollup.startAt
      day = following.day
    }
  }
}

/** Two calendars date one instant at most this many days apart: zones are up to 26 hours apart, and dates are skipped. */
const FURTHEST_DATES = 3

/** Where the device is meant to stand, for instants that never decrease. */
function positionFinder({ placements, standIn }: CursorContext): (at: number) => Position | null {
  if (placements.length === 0) return () => standIn
  if (placements.length === 1) return () => placements[0]
  return (at) => placementAt(placements, at) ?? null
}
